package codec

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

func descriptor(t testing.TB) protoreflect.MessageDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"record.proto": schema}),
	}}
	files, err := compiler.Compile(t.Context(), "record.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Messages().ByName("Record")
}

// Google's library reads what a writer writes, and encodes it to the same bytes.
func TestGoogle(t *testing.T) {
	record := full()
	b := encode(&record)
	m := dynamicpb.NewMessage(descriptor(t))
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	if again := marshal(t, m); !bytes.Equal(again, b) {
		t.Errorf("%x came back as %x", b, again)
	}
	if len(m.GetUnknown()) > 0 {
		t.Errorf("fields missing in the schema: %x", m.GetUnknown())
	}
}

// FuzzGoogle compares both for any input: Google's library accepts every input that a
// reader accepts, and decodes it to the same value.
func FuzzGoogle(f *testing.F) {
	of := descriptor(f)
	r := full()
	f.Add(encode(&r))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decode(b)
		if err != nil || !r.isUTF8() {
			return
		}
		m := dynamicpb.NewMessage(of)
		if err := proto.Unmarshal(b, m); err != nil {
			t.Fatalf("%x is rejected: %v", b, err)
		}
		again, err := decode(marshal(t, m))
		if err != nil { // Google's library writes unknown fields last
			return
		}
		if !bytes.Equal(encode(&again), b) {
			t.Errorf("%x came back as %x", b, encode(&again))
		}
	})
}

// isUTF8 reports whether all strings are valid UTF-8, which Google's library requires.
func (r *record) isUTF8() bool {
	texts := []string{string(r.text), r.value.text}
	for _, n := range r.names {
		texts = append(texts, string(n))
	}
	for k, v := range r.table {
		texts = append(texts, k, v.text)
	}
	all := slices.Concat(r.list, slices.Collect(deref(maps.Values(r.numbers))), slices.Collect(deref(slices.Values([]*inner{r.maybe, r.pointer}))))
	for _, i := range all {
		texts = append(texts, i.text)
	}
	return !slices.ContainsFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
}

func deref(all iter.Seq[*inner]) iter.Seq[inner] {
	return func(yield func(inner) bool) {
		for i := range all {
			if i != nil && !yield(*i) {
				return
			}
		}
	}
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
