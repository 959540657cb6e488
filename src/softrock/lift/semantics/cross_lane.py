"""Cross-lane operations. (The lead has written this module: the author of the other semantics only reviews it.)"""
