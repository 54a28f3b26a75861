package corpus

import "strconv"

const (
	hexDigits    = "0123456789abcdef"
	base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// A uuid is written as it stands in a transcript.
type uuid [36]byte

func (d dice) uuid() uuid {
	var u uuid
	var bits uint64
	for i := range u {
		if i%16 == 0 {
			bits = d.Uint64()
		}
		u[i] = hexDigits[bits&15]
		bits >>= 4
	}
	u[8], u[13], u[18], u[23] = '-', '-', '-', '-'
	u[14], u[19] = '4', "89ab"[d.IntN(4)]
	return u
}

// digits draws an id of n digits behind a prefix.
func (d dice) digits(prefix, digits string, n int) string {
	b := append(make([]byte, 0, len(prefix)+n), prefix...)
	for range n {
		b = append(b, digits[d.IntN(len(digits))])
	}
	return string(b)
}

func (d dice) hex(n int) string { return d.digits("", hexDigits, n) }

// A version is one of Claude Code, such that later ones are greater.
type version int

func v(major, minor, patch int) version { return version(major*1_000_000 + minor*1_000 + patch) }

func (n version) String() string {
	return strconv.Itoa(int(n)/1_000_000) + "." + strconv.Itoa(int(n)/1_000%1_000) + "." + strconv.Itoa(int(n)%1_000)
}
