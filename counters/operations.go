package counters

import (
	"encoding/binary"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/table"
)

// operations collects operations in their encoding. An operation begins with a varint:
// the kind in three bits, sameTime, and above it a number. Times are differences in
// milliseconds from the previous time, in zigzag encoding; strings have their length
// first.
type operations struct {
	recording bool
	encoded   []byte
	time      int64 // of the last operation
}

// The kinds of operations. Their numbers are persisted.
const (
	opAdd         = 0 // number of the series; amount, time
	opCreate      = 1 // number of labels; family, source, labels, series.fold, time
	opExpose      = 2
	opHistoryMode = 3 // historyMode.fine, doubled, plus 1 if growth is recorded
	opBuckets     = 4 // number of bounds; family, bounds as 8 bytes each
	opValue       = 5 // named and withSource; label, value, source
	opSubtract    = 6 // number of the series; number of reductions, amount and time of each
)

// The parts of the number at the beginning of an operation. They are persisted.
const (
	kindBits = 3
	sameTime = 8 // a flag above the kind: the time equals the previous operation's
	headBits = kindBits + 1

	// withSource is a flag of opValue below named. Before format 3 there was no flag and
	// no source, and the number was 1 for a value that is exposed by name.
	withSource = 2
)

// Record begins or ends collecting operations instead of applying them at once. When it
// ends, the collected operations must be applied before the next change.
func (s *Set) Record(on bool) { s.ops.recording = on }

// Operations returns the collected operations that are not applied yet. They are valid
// until the next operation.
func (s *Set) Operations() []byte { return s.ops.encoded }

// ApplyRecorded applies the collected operations, and drops them.
func (s *Set) ApplyRecorded() {
	encoded := s.ops.encoded
	if len(encoded) == 0 {
		return
	}
	if err := s.apply(encoded); err != nil {
		panic("operations of this process are not valid: " + err.Error())
	}
	s.ops.time = 0
	if s.ops.encoded = encoded[:0]; cap(encoded) > 1<<16 {
		s.ops.encoded = nil
	}
}

func (o *operations) add(ser *series, n uint64, when int64) {
	o.head(opAdd, uint64(ser.number), when)
	o.encoded = binary.AppendUvarint(o.encoded, n)
	o.setTime(when)
}

// subtract writes the time of every reduction.
func (o *operations) subtract(ser *series, less []Reduction) {
	o.encoded = binary.AppendUvarint(o.encoded, uint64(ser.number)<<headBits|opSubtract)
	o.encoded = binary.AppendUvarint(o.encoded, uint64(len(less)))
	for _, r := range less {
		o.encoded = binary.AppendUvarint(o.encoded, r.N)
		o.encoded = binary.AppendVarint(o.encoded, r.When-o.time)
		o.time = r.When
	}
}

func (o *operations) create(ser *series) {
	o.head(opCreate, uint64(len(ser.Labels)), ser.Created)
	o.string(ser.family.Name)
	o.string(string(ser.Source))
	for _, label := range ser.Labels {
		o.string(label)
	}
	o.encoded = binary.AppendUvarint(o.encoded, uint64(ser.fold))
	o.setTime(ser.Created)
}

func (o *operations) expose() { o.head(opExpose, 0, o.time) }

func (o *operations) setHistoryMode(m historyMode) {
	n := uint64(m.fine) << 1
	if m.on {
		n++
	}
	o.head(opHistoryMode, n, o.time)
}

func (o *operations) setBuckets(t *familySeries, bounds []float64) {
	o.head(opBuckets, uint64(len(bounds)), o.time)
	o.string(t.Name)
	for _, bound := range bounds {
		o.encoded = binary.LittleEndian.AppendUint64(o.encoded, math.Float64bits(bound))
	}
}

func (o *operations) value(label, value string, source SourceLabels, n named) {
	o.head(opValue, uint64(n)*(2*withSource)|withSource, o.time)
	o.string(label)
	o.string(value)
	o.string(string(source))
}

func (o *operations) head(kind, n uint64, when int64) {
	n = n<<headBits | kind
	if when == o.time {
		n |= sameTime
	}
	o.encoded = binary.AppendUvarint(o.encoded, n)
}

func (o *operations) setTime(when int64) {
	if when != o.time {
		o.encoded = binary.AppendVarint(o.encoded, when-o.time)
		o.time = when
	}
}

func (o *operations) string(v string) {
	o.encoded = protowire.AppendString(o.encoded, v)
}

// Apply repeats the changes of another process: it applies the operations that a set
// with the same state has collected. All series then show their values, since they may
// have been exposed for long. After an error the set has some of the changes.
func (s *Set) Apply(encoded []byte) error {
	err := s.apply(encoded)
	s.Release(s.published)
	return err
}

func (s *Set) apply(encoded []byte) error {
	r := operationReader{rest: encoded}
	for len(r.rest) > 0 && r.err == nil {
		head := r.uint()
		r.sameTime = head&sameTime != 0
		s.applyOne(&r, head&(1<<kindBits-1), head>>headBits)
	}
	return r.err
}

func (s *Set) applyOne(r *operationReader, kind, n uint64) {
	switch kind {
	case opAdd:
		amount, when := r.uint(), r.time()
		if n >= uint64(s.published) {
			r.fail()
		}
		if r.err == nil {
			s.applyGrowth(s.byNumber[n], amount, when)
		}
	case opSubtract:
		less := r.reductions()
		if n >= uint64(s.published) || s.byNumber[n].family.Type != Level {
			r.fail()
		}
		if r.err == nil {
			s.applyReductions(s.byNumber[n], less)
		}
	case opCreate:
		s.applyCreation(r, n)
	case opExpose:
		s.window.exposed = s.published
	case opHistoryMode:
		s.mode = historyMode{n&1 != 0, uint32(min(n>>1, math.MaxUint32))}
		s.nextMode = s.mode
	case opBuckets:
		t, bounds := s.family(r, r.string()), r.floats(n)
		if t.Type != Histogram || !areBounds(bounds) {
			r.fail()
		}
		if r.err == nil {
			t.rebucket(bounds)
		}
	case opValue:
		s.applyValue(r, r.string(), r.string(), n)
	default:
		r.err = fmt.Errorf("operation of kind %d: %w", kind, table.ErrUnsupported)
	}
}

// applyCreation creates a series, unless this set already created it when it collected
// the operation.
func (s *Set) applyCreation(r *operationReader, labels uint64) {
	ser := &series{family: s.family(r, r.string()), Sample: Sample{Source: SourceLabels(r.string())}}
	for range min(labels, uint64(len(r.rest))) {
		ser.Labels = append(ser.Labels, r.string())
	}
	ser.fold = int(min(r.uint(), math.MaxInt32))
	ser.Created = r.time()
	if s.published == len(s.byNumber) && r.err == nil {
		same := ser.family.lookUp(ser.Source, ser.Labels)
		if len(ser.Labels) != len(ser.family.Labels) || same != nil && !same.hasSuccessor(ser) || !s.resolveFold(ser) {
			r.fail()
			return
		}
		s.register(ser)
	}
	if r.err == nil {
		s.publish(s.byNumber[s.published])
	}
}

func (s *Set) applyValue(r *operationReader, label, value string, n uint64) {
	var source SourceLabels
	if n&withSource != 0 {
		source = SourceLabels(r.string())
	}
	i := s.labelIndex(label)
	switch {
	case r.err != nil:
	case i < 0:
		r.err = fmt.Errorf("label %s: %w", label, table.ErrUnsupported)
	case n&withSource == 0:
		s.labels[i].shared[value] = n != 0
	default:
		s.labels[i].set(source, value, named(min(n/(2*withSource), math.MaxUint32-nameAge)))
	}
}

func (s *Set) family(r *operationReader, name string) *familySeries {
	id, known := s.byName[name]
	if !known && r.err == nil {
		r.err = fmt.Errorf("family %s: %w", name, table.ErrUnsupported)
	}
	return s.families[id]
}
