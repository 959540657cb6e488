"""What GPUs are doing: read from sysfs, hwmon, the gpu_metrics file, fdinfo and the driver's own tables of processes,
through :mod:`softrock.system`; and the software GPUs of running processes. No library of the vendor takes part.

`gpus.read` gives the GPUs of a machine, `processes.read` who uses them, `software.read` the software GPUs. All values
are in the unit that stands in their name (fields.tsv); what cannot be had is None, and shown as N/A.
"""
