package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// A digester makes keys as KeyOf does, part by part: texts may be long, and need
// not stand in memory once more.
type digester struct {
	hash hash.Hash
	room []byte // for what is small
}

func newDigester() *digester { return &digester{hash: sha256.New()} }

func (d *digester) begin(kind string) {
	d.hash.Reset()
	d.room = append(d.room[:0], kind...)
	d.add(d.room)
}

func (d *digester) add(part []byte) {
	n := len(d.room)
	d.room = binary.AppendUvarint(d.room, uint64(len(part)))
	d.hash.Write(d.room[n:])
	d.hash.Write(part)
}

func (d *digester) key() Key {
	d.room = d.hash.Sum(d.room[:0])
	return Key(d.room[:len(Key{})])
}

// of is KeyOf with two parts.
func (d *digester) of(kind string, part []byte) Key {
	d.begin(kind)
	d.add(part)
	return d.key()
}

// textKey is the key of what was sent, given its time and its content: a text, or
// blocks.
func (p *Parser) textKey(kind string, stamp, content rawValue) Key {
	if !content.isString() {
		var w cursor
		w.begin(content)
		blocks := p.canonical(&w)
		return KeyOf(kind, string(p.text(stamp)), string(blocks[:]))
	}
	p.digest.begin(kind)
	p.digest.add(p.text(stamp))
	p.digest.add(p.text(content))
	return p.digest.key()
}

// canonical digests the value that comes next, whatever the order in which the
// keys of its objects were written.
func (p *Parser) canonical(w *cursor) Key {
	switch {
	case w.is('['):
		var elements []byte
		for more := w.enter('['); more; more = w.more(']') {
			k := p.canonical(w)
			elements = append(elements, k[:]...)
		}
		return p.digest.of("array", elements)
	case w.is('{'):
		return p.canonicalObject(w)
	case w.is('"'):
		return p.digest.of("string", p.text(w.value()))
	}
	return p.digest.of("value", w.value())
}

func (p *Parser) canonicalObject(w *cursor) Key {
	type member struct{ key, value Key }
	var members []member
	for more := w.enter('{'); more; more = w.more('}') {
		p.room = appendValid(p.room[:0], w.key())
		key := keyOfBytes("key", p.room)
		members = append(members, member{key, p.canonical(w)})
	}
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.key[:], b.key[:]) })
	var all []byte
	for i, m := range members {
		if i+1 < len(members) && members[i+1].key == m.key {
			continue // the last of equal keys wins
		}
		all = append(append(all, m.key[:]...), m.value[:]...)
	}
	return p.digest.of("object", all)
}
