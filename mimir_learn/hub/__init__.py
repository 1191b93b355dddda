"""What leaves the house: checkpoints and logs made ready for a model hub, checked offline, pushed only when asked to."""

from mimir_learn.hub.checkpoint import Checkpoint, bundle_checkpoint
from mimir_learn.hub.collection import PublishAllConfig, publish_all
from mimir_learn.hub.command import PublishConfig, publish
from mimir_learn.hub.dataset import bundle_log
from mimir_learn.hub.upload import push

__all__ = ["Checkpoint", "PublishAllConfig", "PublishConfig", "bundle_checkpoint", "bundle_log", "publish", "publish_all", "push"]
