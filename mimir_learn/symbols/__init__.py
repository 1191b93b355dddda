"""The vocabulary everyone speaks: entities, relations, attributes, Δ, actions, goals, observations, feedback."""

from mimir_learn.symbols.actions import EFFECT, LOOKS, MANIPULATIONS, Action, Outcome, Verb
from mimir_learn.symbols.conditions import AllOf, AnyOf, Condition, Count, Exists, ForAll, Has, Here, Not, Related, Situation, held, holds
from mimir_learn.symbols.course import Course, Watch
from mimir_learn.symbols.delta import EMPTY, Change, Delta, HandChange, ParentChange, Snapshot, StateChange
from mimir_learn.symbols.environment import Environment, PrivilegedState, to_observation
from mimir_learn.symbols.families import FAMILIES, family
from mimir_learn.symbols.feedback import Belief, BelievedEntity, DeltaSource, Estimate, Feedback, Transition
from mimir_learn.symbols.goals import Goal, ObjectQuery, Task, satisfied, witnesses
from mimir_learn.symbols.observation import Observation, Percept, Place, Sighting
from mimir_learn.symbols.vocabulary import (
    ATTRIBUTES,
    ELSEWHERE,
    HAND,
    IN_HAND,
    AttributeSpec,
    CategorySpec,
    CausalRule,
    Entity,
    Kind,
    Parent,
    Relation,
    Vocabulary,
)

__all__ = [
    "ATTRIBUTES", "EFFECT", "ELSEWHERE", "EMPTY", "FAMILIES", "HAND", "IN_HAND", "LOOKS", "MANIPULATIONS", "Action", "AllOf", "AnyOf",
    "AttributeSpec", "Belief", "BelievedEntity", "CategorySpec", "CausalRule", "Change", "Condition", "Count", "Course", "Delta",
    "DeltaSource", "Entity", "Environment", "Estimate", "Exists", "Feedback", "ForAll", "Goal", "HandChange", "Has", "Here", "Kind", "Not",
    "ObjectQuery", "Observation", "Outcome", "Parent", "ParentChange", "Percept", "Place", "PrivilegedState", "Related", "Relation",
    "Sighting", "Situation", "Snapshot", "StateChange", "Task", "Transition", "Verb", "Vocabulary", "Watch", "family", "held", "holds",
    "satisfied", "to_observation", "witnesses",
]  # fmt: skip
