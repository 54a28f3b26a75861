//go:build !purego

#include "textflag.h"

// FILL sets all bytes of y, whose lower half is x, to a byte.
#define FILL(byte, x, y) \
	MOVL $byte, AX; \
	VMOVD AX, x; \
	VPBROADCASTB x, y

// STORE stores the highest bits of the 64 bytes in two vectors as a word of the chunk.
#define STORE(first, second, offset) \
	VPMOVMSKB first, AX; \
	VPMOVMSKB second, BX; \
	SHLQ $32, BX; \
	ORQ BX, AX; \
	MOVQ AX, offset(DI)

// func markChunks(chunks *chunk, b *byte, n int) (lowest byte)
TEXT ·markChunks(SB), NOSPLIT, $0-25
	MOVQ chunks+0(FP), DI
	MOVQ b+8(FP), SI
	MOVQ n+16(FP), CX
	FILL('"', X0, Y0)
	FILL('\\', X1, Y1)
	FILL('n', X2, Y2)
	FILL('t', X3, Y3)
	FILL(0xff, X4, Y4) // the lowest byte so far, by position

loop:
	VMOVDQU (SI), Y5
	VMOVDQU 32(SI), Y6
	VPMINUB Y5, Y4, Y4
	VPMINUB Y6, Y4, Y4

	VPCMPEQB Y5, Y0, Y7
	VPCMPEQB Y6, Y0, Y8
	STORE(Y7, Y8, 0)

	VPCMPEQB Y5, Y1, Y7
	VPCMPEQB Y6, Y1, Y8
	STORE(Y7, Y8, 8)

	VPCMPEQB Y5, Y2, Y7
	VPCMPEQB Y6, Y2, Y8
	VPCMPEQB Y5, Y3, Y9
	VPCMPEQB Y6, Y3, Y10
	VPOR Y9, Y7, Y7
	VPOR Y10, Y8, Y8
	STORE(Y7, Y8, 16)

	STORE(Y5, Y6, 24)

	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop

	// The lowest of 32 bytes: the lower one of each two of 16, as 8 words, and then the
	// lowest word.
	VEXTRACTI128 $1, Y4, X5
	VPMINUB X5, X4, X4
	VPSRLW $8, X4, X5
	VPMINUB X5, X4, X4
	VPHMINPOSUW X4, X4
	VMOVD X4, AX
	MOVB AX, lowest+24(FP)
	VZEROUPPER
	RET
