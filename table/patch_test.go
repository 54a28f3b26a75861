package table

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// randomMessage returns a message with some of the fields 1 to 40, and a field of a
// larger number. Few different values occur, so that two messages have equal fields.
func randomMessage(r *rand.Rand) (m []byte) {
	few := 1 + r.IntN(10)
	for n := Number(1); n <= 40; n++ {
		if r.IntN(10) < few {
			m = appendRandomUnit(m, n, r)
		}
	}
	if r.IntN(2) == 0 {
		m = appendRandomUnit(m, Number(5000+r.IntN(3)), r)
	}
	return m
}

func appendRandomUnit(m []byte, n Number, r *rand.Rand) []byte {
	switch n % 5 {
	case 0:
		for range r.IntN(4) { // a repeated field
			m = protowire.AppendString(protowire.AppendTag(m, n, protowire.BytesType), "element"[:r.IntN(3)])
		}
	case 1:
		m = protowire.AppendVarint(protowire.AppendTag(m, n, protowire.VarintType), 1<<r.IntN(64))
	case 2:
		m = protowire.AppendBytes(protowire.AppendTag(m, n, protowire.BytesType), bytes.Repeat([]byte{0x80}, 100*r.IntN(3)))
	case 3:
		m = protowire.AppendFixed64(protowire.AppendTag(m, n, protowire.Fixed64Type), uint64(r.IntN(2)))
	default:
		m = protowire.AppendFixed32(protowire.AppendTag(m, n, protowire.Fixed32Type), uint32(r.IntN(2)))
	}
	return m
}

// A patch restores the message, and is never longer than both messages together.
func TestPatchRestores(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		before, after := randomMessage(r), randomMessage(r)
		patch := appendPatch([]byte("kept"), before, after)
		if !bytes.HasPrefix(patch, []byte("kept")) {
			t.Fatalf("%x does not begin with the given bytes", patch)
		}
		patch = patch[len("kept"):]
		if got, err := applyPatch([]byte("kept"), before, patch); err != nil || string(got) != "kept"+string(after) {
			t.Fatalf("patch %x of %x is %x, %v, want %x", patch, before, got, err, after)
		}
		if bytes.Equal(before, after) != (len(patch) == 0) {
			t.Fatalf("patch from %x to %x is %x", before, after, patch)
		}
		if len(patch) > len(after)+len(before)+2 {
			t.Fatalf("patch from %x to %x has %d bytes", before, after, len(patch))
		}
		if all := appendPatch(nil, nil, after); !bytes.Equal(all, after) {
			t.Fatalf("patch of nothing is %x, want %x", all, after)
		}
	}
}

// Patches between encodings of a Coder restore each encoding.
func TestPatchRecords(t *testing.T) {
	zero, changed := record{}, full()
	changed.large, changed.list, changed.raw = 0, changed.list[:1], nil
	filled := full()
	all := [][]byte{encode(&zero), encode(&filled), encode(&changed)}
	for _, before := range all {
		for _, after := range all {
			patch := appendPatch(nil, before, after)
			if got, err := applyPatch(nil, before, patch); err != nil || !bytes.Equal(got, after) {
				t.Errorf("patch %x of %x is %x, %v, want %x", patch, before, got, err, after)
			}
		}
	}
	if got := appendPatch(nil, all[1], all[2]); string(got[:4]) != "\x02\x02\x04\x0f" || len(got) > 12 {
		t.Errorf("got the patch %x, want the removed fields 4 and 15 and one element of field 14", got)
	}
}

// A list of many removed fields has a length of more than one byte.
func TestPatchRemovesMany(t *testing.T) {
	var before []byte
	for n := Number(1); n < 1000; n++ {
		before = protowire.AppendVarint(protowire.AppendTag(before, n, protowire.VarintType), 1)
	}
	patch := appendPatch(nil, before, nil)
	if got, err := applyPatch(nil, before, patch); err != nil || len(got) > 0 {
		t.Errorf("got %x, %v, want nothing", got, err)
	}
}

func TestInvalidPatch(t *testing.T) {
	before := []byte("\x08\x01\x18\x02\x28\x03") // fields 1, 3 and 5
	for name, patch := range map[string]string{
		"order":                    "\x20\x01\x10\x01",
		"the same number later":    "\x10\x01\x20\x01\x10\x01",
		"number 0 later":           "\x10\x01\x02\x01\x01",
		"large number":             "\xf8\xff\xff\xff\x3f\x01",
		"cut tag":                  "\x80",
		"cut varint":               "\x10\x80",
		"cut bytes":                "\x12\x05abc",
		"cut second element":       "\x12\x01a\x12\x05abc",
		"group":                    "\x13\x14",
		"cut list":                 "\x02\x02\x01",
		"no list":                  "\x02",
		"removed twice":            "\x02\x02\x01\x01",
		"removed in another order": "\x02\x02\x03\x01",
		"removed and set":          "\x02\x01\x01\x08\x02",
		"removed but missing":      "\x02\x01\x02",
		"removed number 0":         "\x02\x01\x00",
		"removed cut number":       "\x02\x01\x80",
		"removed large number":     "\x02\x06\x80\x80\x80\x80\x80\x01",
	} {
		dst := []byte("kept")
		if got, err := applyPatch(dst, before, []byte(patch)); !errors.Is(err, ErrCorrupt) || string(got) != "kept" {
			t.Errorf("%s: got %q, %v, want ErrCorrupt", name, got, err)
		}
	}
	for _, invalid := range []string{"\x08", "\x10\x01\x08\x01"} {
		if _, err := applyPatch(nil, []byte(invalid), nil); !errors.Is(err, ErrCorrupt) {
			t.Errorf("patch of %x: got %v, want ErrCorrupt", invalid, err)
		}
	}
}

func TestPatchDoesNotAllocate(t *testing.T) {
	before, after := benchmarkRows()
	buf := make([]byte, 0, 1<<10)
	if n := testing.AllocsPerRun(100, func() {
		patch := appendPatch(buf, before, after)
		_, _ = applyPatch(patch[len(patch):], before, patch)
	}); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

// Any patch either is an error or has a result that a new patch restores.
func FuzzPatch(f *testing.F) {
	r := full()
	filled := encode(&r)
	f.Add(filled, []byte("\x02\x02\x04\x0f"))
	f.Add([]byte{}, filled)
	f.Add([]byte("\x08\x01"), []byte("\x02\x01\x01\x10\x01"))
	f.Fuzz(func(t *testing.T, before, patch []byte) {
		after, err := applyPatch(nil, before, patch)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) || after != nil {
				t.Errorf("got %x, %v", after, err)
			}
			return
		}
		again := appendPatch(nil, before, after)
		if got, err := applyPatch(nil, before, again); err != nil || !bytes.Equal(got, after) {
			t.Errorf("patch %x of %x is %x, %v, want %x", again, before, got, err, after)
		}
	})
}

// benchmarkRows returns a row of 18 fields before and after a change: three fields
// differ and one is new.
func benchmarkRows() (before, after []byte) {
	for n := Number(1); n <= 18; n++ {
		v := uint64(1) << n
		before = protowire.AppendVarint(protowire.AppendTag(before, n, protowire.VarintType), v)
		if n%6 == 0 {
			v++
		}
		after = protowire.AppendVarint(protowire.AppendTag(after, n, protowire.VarintType), v)
	}
	return before, protowire.AppendFixed64(protowire.AppendTag(after, 19, protowire.Fixed64Type), 1)
}

func BenchmarkAppendPatch(b *testing.B) {
	before, after := benchmarkRows()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = appendPatch(buf[:0], before, after)
	}
}

func BenchmarkPatch(b *testing.B) {
	before, after := benchmarkRows()
	patch := appendPatch(nil, before, after)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = applyPatch(buf[:0], before, patch)
	}
}
