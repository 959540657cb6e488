"""The rules, a module for each family. `softrock.lint.registry.rules` imports every module of this package."""
