package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// A digester computes the same keys as KeyOf, part by part, without a copy of long
// texts.
type digester struct {
	hash hash.Hash
	buf  []byte
}

func newDigester() *digester { return &digester{hash: sha256.New()} }

func (d *digester) begin(kind string) {
	d.hash.Reset()
	d.buf = append(d.buf[:0], kind...)
	d.add(d.buf)
}

func (d *digester) add(part []byte) {
	n := len(d.buf)
	d.buf = binary.AppendUvarint(d.buf, uint64(len(part)))
	d.hash.Write(d.buf[n:])
	d.hash.Write(part)
}

func (d *digester) key() Key {
	d.buf = d.hash.Sum(d.buf[:0])
	return Key(d.buf[:len(Key{})])
}

// keyOf is KeyOf for two parts.
func (d *digester) keyOf(kind string, part []byte) Key {
	d.begin(kind)
	d.add(part)
	return d.key()
}

// promptKey digests the timestamp and the content of a prompt: a text, or blocks.
func (p *Parser) promptKey(stamp, content rawValue) Key {
	if !content.isString() {
		c := newCursor(content)
		blocks := p.canonical(&c)
		return KeyOf("prompt", string(p.text(stamp)), string(blocks[:]))
	}
	p.digest.begin("prompt")
	p.digest.add(p.text(stamp))
	p.digest.add(p.text(content))
	return p.digest.key()
}

// canonical digests the next value independently of the order of keys in its objects.
func (p *Parser) canonical(c *cursor) Key {
	switch {
	case c.nextIs('['):
		var elements []byte
		for more := c.enter('['); more; more = c.more(']') {
			k := p.canonical(c)
			elements = append(elements, k[:]...)
		}
		return p.digest.keyOf("array", elements)
	case c.nextIs('{'):
		return p.canonicalObject(c)
	case c.nextIs('"'):
		return p.digest.keyOf("string", p.text(c.value()))
	}
	return p.digest.keyOf("value", c.value())
}

func (p *Parser) canonicalObject(c *cursor) Key {
	type member struct{ key, value Key }
	var members []member
	for more := c.enter('{'); more; more = c.more('}') {
		p.buf = appendValid(p.buf[:0], c.key())
		key := keyOfBytes("key", p.buf)
		members = append(members, member{key, p.canonical(c)})
	}
	slices.SortStableFunc(members, func(a, b member) int { return bytes.Compare(a.key[:], b.key[:]) })
	var all []byte
	for i, m := range members {
		if i+1 < len(members) && members[i+1].key == m.key {
			continue // the last of equal keys wins
		}
		all = append(append(all, m.key[:]...), m.value[:]...)
	}
	return p.digest.keyOf("object", all)
}
