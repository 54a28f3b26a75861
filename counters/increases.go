package counters

import (
	"cmp"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"time"
)

// increases records the growth of a series in each interval of time. The increases add
// up to the value of the series, unless it also grew while the history was off.
//
// Intervals take five minutes, and half an hour before a boundary that moves forward
// with time, see Set.Advance. Most increases come in the order of time, to within a day
// or two, and are appended to a compact encoding. The rest are kept in outOfOrder and
// merged into it now and then.
type increases struct {
	last       increase // the newest or current interval; not in packed
	packed     []byte   // the encoded increases in order; bytes are only appended
	end        uint32   // the newest interval in packed
	outOfOrder []increase
	fine       uint32 // packed has coarse intervals before fine
}

// An increase is the growth of a series in one interval.
type increase struct {
	at         uint32 // number of the interval: minutes since the epoch, divided by five
	value, sum uint64
}

// Interval is the length of the shortest intervals of a history, and CoarseInterval the
// length of older intervals.
const (
	Interval       = fineMillis * time.Millisecond
	CoarseInterval = perCoarse * Interval
)

const (
	fineMillis = 5 * 60 * 1000 // the length of a fine interval

	// perCoarse is the number of fine intervals in a coarse interval of half an hour,
	// so that days of time zones with a half-hour offset begin with an interval, too.
	perCoarse = 6
	perDay    = 48 * perCoarse

	// minOutOfOrder is the number of increases that are kept without merging any into
	// packed.
	minOutOfOrder = 32
)

// intervalOf returns the interval of a time in milliseconds since the epoch.
func intervalOf(when int64) uint32 {
	return uint32(min(max(0, when)/fineMillis, math.MaxUint32))
}

// coarse returns the first interval of the coarse interval that contains the interval
// at, if it is before fine, and otherwise at itself.
func coarse(at, fine uint32) uint32 {
	if at < fine {
		return at - at%perCoarse
	}
	return at
}

func (h *increases) add(at uint32, value, addend uint64, fine uint32) {
	if at = coarse(at, fine); at != h.last.at {
		h.close(fine)
		h.last = increase{at: at}
	}
	h.last.grow(value, addend)
}

// close ends the current interval.
func (h *increases) close(fine uint32) {
	last := h.last
	h.last = increase{}
	switch {
	case last.isZero():
	case last.at > h.end || len(h.packed) == 0:
		h.packed, h.end = last.append(h.packed, h.end), last.at
	default:
		h.outOfOrder = append(h.outOfOrder, last)
		if len(h.outOfOrder) > max(minOutOfOrder, len(h.packed)/16) { // about 4 bytes per increase
			h.merge(fine)
		}
	}
}

// merge moves all increases into packed, those before fine as coarse intervals.
func (h *increases) merge(fine uint32) {
	if len(h.outOfOrder) == 0 && h.last.isZero() && (h.fine == fine || len(h.packed) == 0) {
		return
	}
	h.pack(h.inOrder(fine), fine)
}

// pack replaces all increases by increases that are in order and not zero.
func (h *increases) pack(all iter.Seq[increase], fine uint32) {
	packed, end := make([]byte, 0, len(h.packed)+8*len(h.outOfOrder)), uint32(0)
	for i := range all {
		packed, end = i.append(packed, end), i.at
	}
	// Coarse intervals are much smaller than the fine intervals that they replace.
	*h = increases{packed: slices.Clone(packed), end: end, fine: fine}
}

// reduce takes numbers from the increases of some intervals, and limits the sum of all
// increases to left: an interval has less than the number to take if the clock was
// wrong at its recording; then the newest increases are reduced, too.
func (h *increases) reduce(less map[uint32]uint64, left uint64, fine uint32) {
	all, total := slices.Collect(h.inOrder(fine)), uint64(0)
	for i := range all {
		all[i].value -= min(less[all[i].at], all[i].value)
		total += all[i].value
	}
	for i := len(all) - 1; total > left; i-- {
		more := min(total-left, all[i].value)
		all[i].value, total = all[i].value-more, total-more
	}
	h.pack(slices.Values(slices.DeleteFunc(all, func(i increase) bool { return i.isZero() })), fine)
}

// newest returns the last interval. ok is false if there is none.
func (h *increases) newest() (at uint32, ok bool) {
	at, ok = h.end, len(h.packed) > 0
	for _, i := range h.others() {
		at, ok = max(at, i.at), true
	}
	return at, ok
}

// inOrder visits the increases in order, those before fine as coarse intervals.
func (h *increases) inOrder(fine uint32) iter.Seq[increase] {
	return func(yield func(increase) bool) {
		var current increase
		for next := range h.sorted() {
			if at := coarse(next.at, fine); at != current.at {
				if !current.isZero() && !yield(current) {
					return
				}
				current = increase{at: at}
			}
			current.grow(next.value, next.sum)
		}
		if !current.isZero() {
			yield(current)
		}
	}
}

// sorted visits the increases in order, some intervals more than once. It decodes
// packed on the way, and merges the few increases that are not in packed.
func (h *increases) sorted() iter.Seq[increase] {
	return func(yield func(increase) bool) {
		others := h.others()
		for i, rest := decodeIncrease(increase{}, h.packed); rest != nil; i, rest = decodeIncrease(i, rest) {
			for ; len(others) > 0 && others[0].at < i.at; others = others[1:] {
				if !yield(others[0]) {
					return
				}
			}
			if !yield(i) {
				return
			}
		}
		slices.Values(others)(yield)
	}
}

// others returns the increases that are not in packed, sorted.
func (h *increases) others() []increase {
	others := slices.Clone(h.outOfOrder)
	if !h.last.isZero() {
		others = append(others, h.last)
	}
	slices.SortFunc(others, func(a, b increase) int { return cmp.Compare(a.at, b.at) })
	return others
}

// clone returns a copy for another goroutine.
func (h *increases) clone() increases {
	c := *h
	c.packed, c.outOfOrder = slices.Clip(h.packed), slices.Clone(h.outOfOrder)
	return c
}

func (i *increase) grow(value, sum uint64) {
	i.value, i.sum = SaturatingAdd(i.value, value), SaturatingAdd(i.sum, sum)
}

func (i *increase) isZero() bool { return i.value == 0 && i.sum == 0 }

// append appends the encoding of an increase after the interval before: the distance,
// doubled, plus 1 if there is a sum, the value and the sum.
func (i *increase) append(b []byte, before uint32) []byte {
	head := uint64(i.at-before) << 1
	if i.sum == 0 {
		return binary.AppendUvarint(binary.AppendUvarint(b, head), i.value)
	}
	return binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, head|1), i.value), i.sum)
}

// decodeIncrease decodes the next increase after a previous one. It returns nil instead
// of the rest at the end, and if the encoding is not valid.
func decodeIncrease(previous increase, b []byte) (i increase, rest []byte) {
	head, n := binary.Uvarint(b)
	value, m := binary.Uvarint(b[max(0, n):])
	if n <= 0 || m <= 0 || head>>1 > math.MaxUint32-uint64(previous.at) {
		return i, nil
	}
	i = increase{at: previous.at + uint32(head>>1), value: value}
	rest = b[n+m:]
	if head&1 != 0 {
		if i.sum, n = binary.Uvarint(rest); n <= 0 {
			return i, nil
		}
		rest = rest[n:]
	}
	return i, rest
}

// load completes increases after packed was decoded. It returns false if packed is not
// valid: not in order, or more than the value and the sum of the series.
func (h *increases) load(value, total uint64) bool {
	var previous increase
	for b := h.packed; len(b) > 0; {
		i, rest := decodeIncrease(previous, b)
		repeated := i.at == previous.at && len(b) < len(h.packed)
		if rest == nil || i.isZero() || repeated || i.value > value || i.sum > total {
			return false
		}
		value, total = value-i.value, total-i.sum
		b, previous = rest, i
	}
	h.end = previous.at
	return true
}
