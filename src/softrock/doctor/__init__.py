"""The machine's health: checks that read a `softrock.system` machine, and what their findings mean together."""
