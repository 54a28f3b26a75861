//go:build !purego

#include "textflag.h"

// EQUAL sets V4 to V7 to which of the 64 bytes in V0 to V3 are equal to those of x.
#define EQUAL(x) \
	VCMEQ V0.B16, x.B16, V4.B16; \
	VCMEQ V1.B16, x.B16, V5.B16; \
	VCMEQ V2.B16, x.B16, V6.B16; \
	VCMEQ V3.B16, x.B16, V7.B16

// STORE stores a bit for each of the 64 bytes in V4 to V7, which are 0 or have the bits
// of V20, as a word of the chunk. Each addition of neighbours halves the bytes.
#define STORE(offset) \
	VADDP V5.B16, V4.B16, V4.B16; \
	VADDP V7.B16, V6.B16, V6.B16; \
	VADDP V6.B16, V4.B16, V4.B16; \
	VADDP V4.B16, V4.B16, V4.B16; \
	VMOV V4.D[0], R4; \
	MOVD R4, offset(R0)

// SELECT keeps the bit of each byte in V4 to V7: 1 of the first, 2 of the second, and
// so on, again after eight bytes.
#define SELECT \
	VAND V20.B16, V4.B16, V4.B16; \
	VAND V20.B16, V5.B16, V5.B16; \
	VAND V20.B16, V6.B16, V6.B16; \
	VAND V20.B16, V7.B16, V7.B16

// LOWEST sets each byte of V21 to the lower one of itself and the nth after it.
#define LOWEST(n) \
	VEXT $n, V21.B16, V21.B16, V4.B16; \
	VUMIN V4.B16, V21.B16, V21.B16

// func markChunks(chunks *chunk, b *byte, n int) (lowest byte)
TEXT ·markChunks(SB), NOSPLIT, $0-25
	MOVD chunks+0(FP), R0
	MOVD b+8(FP), R1
	MOVD n+16(FP), R2
	VMOVI $'"', V16.B16
	VMOVI $'\\', V17.B16
	VMOVI $'n', V18.B16
	VMOVI $'t', V19.B16
	MOVD $0x8040201008040201, R3
	VDUP R3, V20.D2
	VMOVI $0xff, V21.B16 // the lowest byte so far, by position
	VMOVI $0x80, V22.B16

loop:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VUMIN V0.B16, V21.B16, V21.B16
	VUMIN V1.B16, V21.B16, V21.B16
	VUMIN V2.B16, V21.B16, V21.B16
	VUMIN V3.B16, V21.B16, V21.B16

	EQUAL(V16)
	SELECT
	STORE(0)
	EQUAL(V17)
	SELECT
	STORE(8)

	EQUAL(V18)
	VCMEQ V0.B16, V19.B16, V8.B16
	VCMEQ V1.B16, V19.B16, V9.B16
	VCMEQ V2.B16, V19.B16, V10.B16
	VCMEQ V3.B16, V19.B16, V11.B16
	VORR V8.B16, V4.B16, V4.B16
	VORR V9.B16, V5.B16, V5.B16
	VORR V10.B16, V6.B16, V6.B16
	VORR V11.B16, V7.B16, V7.B16
	SELECT
	STORE(16)

	VCMTST V0.B16, V22.B16, V4.B16
	VCMTST V1.B16, V22.B16, V5.B16
	VCMTST V2.B16, V22.B16, V6.B16
	VCMTST V3.B16, V22.B16, V7.B16
	SELECT
	STORE(24)

	ADD $32, R0
	SUBS $1, R2
	BNE loop

	LOWEST(8)
	LOWEST(4)
	LOWEST(2)
	LOWEST(1)
	VMOV V21.B[0], R4
	MOVB R4, lowest+24(FP)
	RET
