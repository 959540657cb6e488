"""What a machine tells about itself, through one narrow interface: `interface.System`.

`live.Live` reads the machine that runs this; `tree.Tree` reads one that was recorded or written down in a file; and
`recorder.Recorder` notes what was read of either, so that it can be replayed. Nobody else touches sysfs, /proc, /dev or
commands in order to find out about the machine.
"""
