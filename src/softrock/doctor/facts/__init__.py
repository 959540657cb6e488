"""What the checks share of a machine. Each is read once: ``machine.fact(gpus)``."""

from softrock.doctor.facts.container import Container, Kind, container
from softrock.doctor.facts.distribution import Distribution, distribution
from softrock.doctor.facts.driver import Driver, driver
from softrock.doctor.facts.gpus import Gpu, driven, gpus
from softrock.doctor.facts.kernel_log import Log, kernel_log
from softrock.doctor.facts.wsl import wsl

__all__ = [
    "Container", "Distribution", "Driver", "Gpu", "Kind", "Log",
    "container", "distribution", "driven", "driver", "gpus", "kernel_log", "wsl",
]  # fmt: skip
