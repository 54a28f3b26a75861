package state

import (
	"bytes"
	"errors"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/test/testsize"
)

// described returns the descriptor of a message in state.proto.
func described(t testing.TB, name protoreflect.Name) protoreflect.MessageDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{Resolver: &protocompile.SourceResolver{ImportPaths: []string{"checkpoint"}}}
	files, err := compiler.Compile(t.Context(), "state.proto")
	if err != nil {
		t.Fatal(err)
	}
	return files[0].Messages().ByName(name)
}

// parse decodes a message with Google's library, and checks that state.proto describes
// every field and that the library encodes the same bytes.
func parse(t testing.TB, of protoreflect.MessageDescriptor, b []byte) *dynamicpb.Message {
	t.Helper()
	m := dynamicpb.NewMessage(of)
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
	eachMessage(m, func(m protoreflect.Message) {
		if unknown := m.GetUnknown(); len(unknown) > 0 {
			n, _, _ := protowire.ConsumeTag(unknown)
			t.Errorf("%s has no field %d in state.proto", m.Descriptor().Name(), n)
		}
	})
	if again := marshal(t, m); !bytes.Equal(again, b) {
		t.Errorf("%d bytes of %s become other %d bytes with Google's library", len(b), of.Name(), len(again))
	}
	return m
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// eachMessage calls visit for a message and every message nested in it.
func eachMessage(m protoreflect.Message, visit func(protoreflect.Message)) {
	visit(m)
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Kind() != protoreflect.MessageKind:
		case field.IsList():
			for i := range v.List().Len() {
				eachMessage(v.List().Get(i).Message(), visit)
			}
		default:
			eachMessage(v.Message(), visit)
		}
		return true
	})
}

// Google's library decodes every state and every step by state.proto, and encodes the
// same bytes.
func TestStateIsProtobuf(t *testing.T) {
	of, seen := described(t, "State"), make(map[protoreflect.Name]bool)
	for _, b := range someStates(t) {
		eachMessage(parse(t, of, b), func(m protoreflect.Message) { seen[m.Descriptor().Name()] = true })
	}
	of = described(t, "Step")
	for _, k := range kinds(t) {
		for _, s := range []step{newStep(k), example(k)} {
			m := parse(t, of, encodeStep(s, nil))
			eachMessage(m, func(m protoreflect.Message) { seen[m.Descriptor().Name()] = true })
			if ignorable := m.Get(of.Fields().ByName("ignorable")).Bool(); ignorable != stepKinds[k].ignorable {
				t.Errorf("step of kind %d: ignorable is %v", k, ignorable)
			}
		}
	}
	for i := range of.ParentFile().Messages().Len() {
		if name := of.ParentFile().Messages().Get(i).Name(); !seen[name] && name != "Header" {
			t.Errorf("no state contains a %s", name)
		}
	}
}

// unknownField returns a field with a number that no version will use.
func unknownField(value string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, protowire.MaxValidNumber, protowire.BytesType), value)
}

// A field added to any message by a newer version is preserved by this one. Exceptions
// are the options, which come from the configuration at every start, and blocks of keys
// with an unknown layout, which are refused.
func TestUnknownFieldsAreKept(t *testing.T) {
	testsize.SkipRace(t, "uses no goroutines")
	of := described(t, "State")
	exceptions := map[protoreflect.Name]error{
		"Options": nil, "Limit": nil, "Buckets": nil, "PriceTable": nil, "PriceRow": nil, "CompactMap": codec.ErrUnsupported, "Segment": codec.ErrUnsupported,
	}
	tried := make(map[protoreflect.Name]int)
	for _, b := range someStates(t) {
		counts := make(map[protoreflect.Name]int)
		whole := parse(t, of, b)
		eachMessage(whole, func(m protoreflect.Message) { counts[m.Descriptor().Name()]++ })
		for name, n := range counts {
			for at := 0; at < n; at += 1 + n/10 {
				newer := withUnknownField(t, whole, name, at)
				s, err := decodeState(newer)
				want, except := exceptions[name]
				if tried[name]++; except && want == nil && err == nil {
					continue
				}
				if !except && (err != nil || !bytes.Equal(encodedState(s), newer)) || except && !errors.Is(err, want) {
					t.Errorf("unknown field in %s: %v", name, err)
				}
			}
		}
	}
	for _, name := range []protoreflect.Name{
		"State", "KnownFile", "Ledger", "LabelValues", "Place", "File", "Origin", "HeldMessage", "KeysOfFile", "CompactMap",
		"ToolName", "Orphan", "KeySet", "LiveSession", "Family", "Series", "Segment", "Options", "Iteration",
		"ActiveSession", "AgentCopies", "OpenTurn", "Charge", "Price", "PriceTable", "PriceRow",
	} {
		if tried[name] == 0 {
			t.Errorf("no state contains a %s", name)
		}
	}
}

// withUnknownField encodes a message after adding an unknown field to the at-th message
// of the given name, counted from 0.
func withUnknownField(t testing.TB, whole *dynamicpb.Message, name protoreflect.Name, at int) []byte {
	t.Helper()
	m := proto.Clone(whole)
	eachMessage(m.ProtoReflect(), func(m protoreflect.Message) {
		if m.Descriptor().Name() != name {
			return
		}
		if at == 0 {
			m.SetUnknown(unknownField("unknown"))
		}
		at--
	})
	return marshal(t, m)
}
