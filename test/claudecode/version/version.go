// Package version compares versions of Claude Code.
package version

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Version is a version such as 2.1.332. The zero Version is older than every other
// version.
type Version struct {
	text   string
	digits []int
}

// Parse parses a version.
func Parse(text string) (Version, error) {
	v := Version{text: text}
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return Version{}, fmt.Errorf("%q is not a version of Claude Code", text)
		}
		v.digits = append(v.digits, int(n))
	}
	if len(v.digits) != 3 {
		return Version{}, fmt.Errorf("%q is not a version of Claude Code", text)
	}
	return v, nil
}

// MustParse parses a constant.
func MustParse(text string) Version {
	v, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return v
}

func (v Version) String() string { return v.text }

// Compare compares two versions like cmp.Compare.
func (v Version) Compare(other Version) int { return slices.Compare(v.digits, other.digits) }

// UnmarshalText reads a version from a file.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = Parse(string(text))
	return err
}

// A Range is a range of versions that includes both ends. A zero end is open.
type Range struct{ From, To Version }

// Between returns a range. An empty end is open.
func Between(from, to string) (r Range) {
	if from != "" {
		r.From = MustParse(from)
	}
	if to != "" {
		r.To = MustParse(to)
	}
	return r
}

// Contains reports whether a version is in the range.
func (r Range) Contains(v Version) bool {
	return v.Compare(r.From) >= 0 && (r.To.text == "" || v.Compare(r.To) <= 0)
}
