#!/bin/sh
# Makes the fonts of this folder from Debian's fonts-dejavu-core 2.37 with fonttools' pyftsubset.
set -eu
from=/usr/share/fonts/truetype/dejavu
latin=U+0020-007E,U+00A0-017F,U+0192,U+02BC,U+02C6-02DD
greek_cyrillic=U+0370-03FF,U+0400-045F,U+0490-0491
punctuation=U+2010-2015,U+2018-2027,U+2030-2037,U+2039-203A,U+203C,U+2042,U+2044,U+2047-2049
scripts=U+2070-208E,U+1D62-1D6A,U+02B0-02B8,U+2C7C
symbols=U+20AC,U+2102,U+2107,U+210D,U+2115,U+2119-211A,U+211D,U+2124,U+2135,U+2190-21FF,U+2200-22FF
shapes=U+2308-230B,U+25A0-25A1,U+25B2-25CF,U+2605-2606,U+2713,U+2717,U+27E6-27EB,U+27F5-27FA,U+FFFD
subset() {
    pyftsubset "$from/$1.ttf" --unicodes="$2" --no-hinting --layout-features= --legacy-kern \
        --name-IDs=0,1,2,3,4,5,6,13,14 --drop-tables+=GSUB,GPOS,GDEF,MATH,FFTM,gasp \
        --output-file="$1.subset.ttf"
}
subset DejaVuSans "$latin,$greek_cyrillic,$punctuation,$scripts,$symbols,$shapes"
subset DejaVuSans-Bold "$latin,$greek_cyrillic,$punctuation,U+2190-2193,U+2237,U+FFFD"
