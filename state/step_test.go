package state

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// kinds returns all kinds of steps.
func kinds(t testing.TB) []stepKind {
	t.Helper()
	var all []stepKind
	for k := range stepKind(math.MaxUint8) {
		if s := newStep(k); s != nil {
			if s.kind() != k {
				t.Fatalf("a step of kind %d returns kind %d", k, s.kind())
			}
			all = append(all, k)
		}
	}
	if len(all) < 9 {
		t.Fatalf("got only the kinds %d", all)
	}
	return all
}

// example returns a step of a kind with a value in every field, including fields added
// later, except those that are never encoded.
func example(k stepKind) step {
	s := newStep(k)
	(&filler{}).fill(reflect.ValueOf(s).Elem())
	if read, ok := s.(*batchStep); ok {
		for i := range read.batch.Entries {
			e := &read.batch.Entries[i]
			e.SessionID, e.CWD, e.Prompt.Name = "", "", ""
			e.Attribution.AgentName, e.Attribution.SkillName, e.Attribution.PluginName = "", "", ""
			for j := range e.Uses {
				e.Uses[j].SkillName = ""
			}
			for j := range e.Unknown {
				e.Unknown[j].Name = ""
			}
		}
	}
	return s
}

// A filler sets every value to a non-zero one, with different numbers and strings each
// time.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			f.fill(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()) // unexported ones too
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.elements(v)
	case reflect.Array:
		f.elements(v)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.n%100 + 1))
	case reflect.Float64:
		v.SetFloat(float64(f.n) + .5)
	default:
		panic("cannot fill " + v.Kind().String())
	}
}

func (f *filler) elements(v reflect.Value) {
	for i := range v.Len() {
		f.fill(v.Index(i))
	}
}

// Decoding an encoded step returns the same step.
func TestStepsRoundTrip(t *testing.T) {
	for _, k := range kinds(t) {
		t.Run(fmt.Sprintf("%T", newStep(k)), func(t *testing.T) {
			want := example(k)
			b := encodeStep(want, nil)
			got, err := decodeStep(b)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
			}
			// The last bytes of an ignorable step are its mark: without them it is complete.
			for n := range b {
				if _, err := decodeStep(b[:n]); !errors.Is(err, codec.ErrCorrupt) && (!stepKinds[k].ignorable || n != len(b)-3) {
					t.Errorf("truncated to %d of %d bytes: got %v, want codec.ErrCorrupt", n, len(b), err)
				}
			}
			if _, err := decodeStep(append(b, 0)); !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("with an extra byte: got %v, want codec.ErrCorrupt", err)
			}
		})
	}
}

// Journals on disk contain the numbers of kinds, so they never change.
func TestStepKinds(t *testing.T) {
	for k, want := range map[stepKind]step{
		1: &openStep{}, 2: &batchStep{}, 3: &resetStep{}, 4: &finalizeStep{}, 5: &missingStep{},
		6: &forgetStep{}, 7: &configureStep{}, 8: &settleStep{}, 9: &releaseStep{},
	} {
		if got := newStep(k); reflect.TypeOf(got) != reflect.TypeOf(want) {
			t.Errorf("kind %d is a %T, want %T", k, got, want)
		}
	}
}

func TestFileRoundTrip(t *testing.T) {
	var want KnownFile
	(&filler{}).fill(reflect.ValueOf(&want).Elem())
	want.root, want.traits = 0, 0 // not encoded
	saved, restored := newFileTable(), newFileTable()
	saved.all = []KnownFile{want}
	saved.missing[want.ID] = 7
	w := codec.NewWriter(nil)
	saved.code(w)
	r := codec.NewReader(w.Bytes())
	restored.code(r)
	if err := r.Done(); err != nil || !slices.Equal(restored.all, saved.all) || !maps.Equal(restored.missing, saved.missing) {
		t.Errorf("got %+v, %v\nwant %+v", restored.all, err, saved.all)
	}
}

// Arbitrary bytes decode to a step or an error.
func FuzzDecodeStep(f *testing.F) {
	for _, k := range kinds(f) {
		f.Add(encodeStep(example(k), nil))
		f.Add(encodeStep(newStep(k), nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		one, err := decodeStep(b)
		if err != nil || one == nil {
			return
		}
		again, err := decodeStep(encodeStep(one, nil))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encodeStep(again, nil), encodeStep(one, nil)) && one.kind() != kindConfigure { // contains maps
			t.Errorf("%+v became %+v", one, again)
		}
		s := newFold(ledger.Options{}, 1)
		open := &openStep{file: ledger.File{ID: 1, Kind: transcript.Main}}
		open.apply(s)
		one.apply(s)
		(&finalizeStep{id: 1}).apply(s)
		s.ledger.SnapshotInto(new(ledger.Snapshot), 1)
	})
}
