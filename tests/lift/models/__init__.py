"""An independent model of AMD's vector and scalar arithmetic, to check the translator against.

Everything here is written from the pseudo-code and the text of AMD's instruction set guides (MI300/CDNA3, RDNA3) in
plain Python, NumPy and mpmath; nothing is taken from `softrock.lift`. `machine.Machine` is a slow interpreter of
decoded instructions; the operations stand in `scalar`, `integer`, `floating`, `conversion`, `comparison`, `packed`,
`division`, `approximate`, `lanes` and `matrix`, each registered under its canonical name.
"""
