package report

import "github.com/ccwatchd/ccwatchd/internal/format"

// A style is how numbers are written.
type style int

const (
	short style = iota // 12.3M
	long               // 12,345,678
)

func (s style) count(n uint64) string {
	if s == long {
		return format.Number(n)
	}
	return format.TableCount(n)
}

func (s style) bytes(n uint64) string {
	if s == long {
		return format.Number(n) + " B"
	}
	return format.Size(n)
}

// money formats an amount in US dollars.
func (s style) money(usd float64) string {
	if s == long {
		return format.ExactUSD(usd)
	}
	return format.TableUSD(usd)
}
