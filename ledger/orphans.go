package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// An orphan is a result whose call was not seen yet. Claude Code writes some
// results a few lines before their calls, so an orphan waits until its file is
// finalized before it counts as the result of an unknown tool.
type orphan struct {
	result     transcript.ToolResult
	time, when int64
	labels     uint32 // id in core.labelSets
	file       FileID
	session    hash64 // or noSession
	order      uint32 // among the results of the file
}

// orphanEvent returns the event of the result's line.
func (p *tools) orphanEvent(o *orphan) *event {
	return &event{id: o.file, when: o.when, session: keyOf(o.session), source: p.sourceOf(o.file)}
}

// addOrphan adds a result after the earlier orphans of its file.
func (p *tools) addOrphan(key hash64, o orphan) {
	if all := p.orphansOf[o.file]; len(all) > 0 {
		last, _ := p.orphans.Get(all[len(all)-1])
		o.order = last.order + 1
	}
	p.orphans.Put(key, o)
	p.orphansOf[o.file] = append(p.orphansOf[o.file], key)
}

func (p *tools) dropOrphan(key hash64, o *orphan) {
	p.orphans.Delete(key)
	left := slices.DeleteFunc(p.orphansOf[o.file], func(k hash64) bool { return k == key })
	if p.orphansOf[o.file] = left; len(left) == 0 {
		delete(p.orphansOf, o.file)
	}
}

func codeOrphan(c *table.Coder, o *orphan) {
	r := &o.result
	table.Fixed64(c, 1, &r.Key)
	table.Bool(c, 2, &r.Error)
	table.String(c, 3, &r.Reason)
	table.Uint(c, 4, &r.Bytes)
	table.Int(c, 5, &o.time)
	table.Int(c, 6, &o.when)
	table.Uint(c, 7, &o.labels)
	table.Uint(c, 8, &o.file)
	codeHash(c, 9, &o.session)
	table.Uint(c, 10, &o.order)
	table.Uint(c, 11, &r.Searches)
}
