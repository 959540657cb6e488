"""Facts about the instruction sets: targets, instruction tables, where fields stand. Data only."""

from softrock.isa.tables import Layout, OperandSpec, Row, Table, table
from softrock.isa.targets import Target, names, target

__all__ = ["Layout", "OperandSpec", "Row", "Table", "Target", "names", "table", "target"]
