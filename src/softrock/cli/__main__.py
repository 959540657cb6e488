"""``python -m softrock.cli`` is ``softrock``."""

import sys

from softrock.cli import main

sys.exit(main())
