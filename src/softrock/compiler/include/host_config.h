/* Part of softrock (MIT licence, see LICENSE). Nothing is needed here. */
