"""The two memories of Mimir and the operators between them: W, T, recall and grounding."""

from mimir_learn.memory.grounding import GroundedGoal, ground
from mimir_learn.memory.hypotheses import Evidence, EvidenceKind, Fact, Hypothesis
from mimir_learn.memory.means import Way, ways
from mimir_learn.memory.post import post
from mimir_learn.memory.ramifications import ramify
from mimir_learn.memory.recall import Candidate, Query, Support, make_query, recall
from mimir_learn.memory.task import Binding, Completion, Status, TaskMemory, held_object
from mimir_learn.memory.world import Acted, Demotion, Observed, WorldMemory

__all__ = [
    "Acted", "Binding", "Candidate", "Completion", "Demotion", "Evidence", "EvidenceKind", "Fact", "GroundedGoal", "Hypothesis",
    "Observed", "Query", "Status", "Support", "TaskMemory", "Way", "WorldMemory", "ground", "held_object", "make_query", "post", "ramify",
    "recall", "ways",
]  # fmt: skip
