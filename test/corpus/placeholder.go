package corpus

import "cmp"

// fills write the placeholders that are not the name of a template or text.
var fills = map[string]func(t *transcript, k *scope, p *part){
	// Control
	"since":  func(t *transcript, k *scope, p *part) { t.choose(k, p, t.version >= p.since) },
	"chance": func(t *transcript, k *scope, p *part) { t.choose(k, p, t.chance(p.percent)) },
	"if": func(t *transcript, k *scope, p *part) {
		from := len(t.b)
		p.value(t, k, p)
		empty := len(t.b) == from
		t.b = t.b[:from]
		t.choose(k, p, !empty)
	},
	"repeat": func(t *transcript, k *scope, p *part) {
		for i := range t.size(k, p) {
			t.comma(i)
			t.write(p.then, k)
		}
	},
	"same": func(t *transcript, k *scope, p *part) { t.share(k, p) },
	"save": func(t *transcript, k *scope, p *part) {
		from := len(t.b)
		t.write(p.then, k)
		k.saved[p.slot] = span{from, len(t.b)}
	},
	"again":  func(t *transcript, k *scope, p *part) { t.again(k.saved[p.slot]) },
	"length": func(t *transcript, k *scope, p *part) { t.num((k.saved[p.slot].to - k.saved[p.slot].from) / p.low) },

	// Random values
	"pick":   func(t *transcript, _ *scope, p *part) { t.raw(pick(t.rng, p.choices...)) },
	"number": func(t *transcript, _ *scope, p *part) { t.num(t.between(p.low, p.high)) },
	"hex":    func(t *transcript, _ *scope, p *part) { t.raw(t.hex(p.low)) },
	"id":     func(t *transcript, _ *scope, p *part) { t.raw(t.digits(base62Digits, p.low)) },
	"uuid":   func(t *transcript, _ *scope, _ *part) { t.raw(t.uuid()) },
	"path":   func(t *transcript, _ *scope, _ *part) { t.raw(t.filePath(t.rng)) },

	// The session and the transcript
	"agent":            func(t *transcript, _ *scope, _ *part) { t.raw(t.agent) },
	"background":       func(t *transcript, _ *scope, _ *part) { t.flag(t.background) },
	"branch":           func(t *transcript, _ *scope, _ *part) { t.raw(t.branch) },
	"context":          func(t *transcript, _ *scope, _ *part) { t.num(t.context) },
	"cwd":              func(t *transcript, _ *scope, _ *part) { t.raw(t.cwd) },
	"compacting":       func(t *transcript, _ *scope, _ *part) { t.num(t.compacting) },
	"dropped":          func(t *transcript, _ *scope, _ *part) { t.num(t.previous - t.context) },
	"entries":          func(t *transcript, _ *scope, _ *part) { t.num(len(t.records)) },
	"base":             func(t *transcript, _ *scope, _ *part) { t.raw(t.requests.base) },
	"kept":             func(t *transcript, _ *scope, _ *part) { t.num(t.requests.kept) },
	"program":          func(t *transcript, _ *scope, _ *part) { t.flag(t.program()) },
	"prompt_id":        func(t *transcript, _ *scope, _ *part) { t.raw(t.session.promptID) },
	"prompt_index":     func(t *transcript, _ *scope, _ *part) { t.num(t.session.prompts) },
	"shape":            func(t *transcript, _ *scope, _ *part) { t.raw(t.requests.shape) },
	"started":          func(t *transcript, _ *scope, _ *part) { t.num(int(t.tempo.at(t.session.began))) },
	"turn_index":       func(t *transcript, _ *scope, _ *part) { t.num(t.session.turnIndex) },
	"entrypoint":       func(t *transcript, _ *scope, _ *part) { t.raw(t.entrypoint) },
	"gateway":          func(t *transcript, _ *scope, _ *part) { t.flag(t.provider.gateway()) },
	"parent":           func(t *transcript, _ *scope, _ *part) { t.raw(t.parent) },
	"previous":         func(t *transcript, _ *scope, _ *part) { t.num(t.previous) },
	"repository_owner": func(t *transcript, _ *scope, _ *part) { t.raw(t.owner) },
	"session":          func(t *transcript, _ *scope, _ *part) { t.raw(t.sessionID) },
	"side":             func(t *transcript, _ *scope, _ *part) { t.flag(t.side) },
	"slug":             func(t *transcript, _ *scope, _ *part) { t.raw(t.slug) },
	"stamp": func(t *transcript, _ *scope, _ *part) { // the uuid of the entry
		t.parent, t.last = t.uuid(), t.now
		t.open.uuid = t.parent
		t.raw(t.parent)
	},
	"time": func(t *transcript, _ *scope, _ *part) { t.time(t.tempo.at(t.now)) },
	"until": func(t *transcript, _ *scope, p *part) { // the next multiple of some hours, in seconds
		window := int64(p.low) * 3600
		t.num(int((t.tempo.at(t.now)/1000/window + 1) * window))
	},
	"unix":    func(t *transcript, _ *scope, _ *part) { t.num(int(t.tempo.at(t.now))) },
	"version": func(t *transcript, _ *scope, _ *part) { t.raw(t.versionText) },

	// The entry, the message or the tool call
	"arg":        func(t *transcript, k *scope, _ *part) { t.raw(k.arg) },
	"bare":       func(t *transcript, k *scope, _ *part) { t.flag(k.bare) },
	"block":      func(t *transcript, k *scope, _ *part) { t.num(k.message.block) },
	"body":       func(_ *transcript, k *scope, _ *part) { k.body() },
	"call":       func(t *transcript, k *scope, _ *part) { t.raw(k.id) },
	"callee":     func(t *transcript, k *scope, _ *part) { t.raw(k.callee.agent) },
	"kind":       func(t *transcript, k *scope, _ *part) { t.write(t.Templates["entry_"+cmp.Or(k.layout, k.kind)], k) },
	"message_id": func(t *transcript, k *scope, _ *part) { t.raw(k.message.id) },
	"model":      func(t *transcript, k *scope, _ *part) { t.raw(k.message.model) },
	"effort":     func(t *transcript, k *scope, _ *part) { t.raw(k.message.effort) },
	"own_effort": func(t *transcript, k *scope, _ *part) { t.raw(k.message.turnEffort) },
	"permission": func(t *transcript, _ *scope, _ *part) { t.raw(t.permissions()) },
	"place":      func(t *transcript, k *scope, _ *part) { t.raw(k.message.place()) },
	"ref":        func(t *transcript, k *scope, _ *part) { t.raw(k.message.ref) },
	"complete":   func(t *transcript, k *scope, _ *part) { t.flag(k.stop != "" && !k.message.cut) },
	"request":    func(t *transcript, k *scope, _ *part) { t.raw(k.message.request) },
	"searched":   func(t *transcript, k *scope, _ *part) { t.flag(k.usage[searches]+k.usage[fetches] > 0) },
	"speed":      func(t *transcript, k *scope, _ *part) { t.raw(k.message.speed()) },
	"stop":       func(t *transcript, k *scope, _ *part) { t.raw(k.stop) },
	"tail": func(_ *transcript, k *scope, _ *part) {
		if k.tail != nil {
			k.tail()
		}
	},
	"took":  func(t *transcript, k *scope, _ *part) { t.num(int(t.now - k.at)) },
	"usage": func(t *transcript, k *scope, p *part) { t.num(k.usage[p.low]) },
	"sum": func(t *transcript, k *scope, _ *part) {
		if k.message.nested {
			t.num(0)
			return
		}
		t.num(k.usage[written])
	},
	"iterations": func(t *transcript, k *scope, _ *part) {
		for _, it := range k.message.iterations {
			t.write(t.Templates["iteration"], &scope{arg: it.kind, message: &message{model: it.model}, usage: &it.usage})
		}
	},
}

// fillNamed writes a template or text by its name.
func fillNamed(t *transcript, k *scope, p *part) {
	if tp := t.Templates[p.name]; tp != nil {
		t.write(tp, k)
		return
	}
	t.b = t.texts[p.name].appendTo(t.b, t.rng, t.size(k, p))
}

func (t *transcript) choose(k *scope, p *part, condition bool) {
	if condition {
		t.write(p.then, k)
	} else {
		t.write(p.otherwise, k)
	}
}

// size returns a number, the length of a saved part, or a draw from a distribution.
func (t *transcript) size(k *scope, p *part) int {
	switch {
	case p.slot >= 0:
		return k.saved[p.slot].to - k.saved[p.slot].from
	case p.low > 0:
		return p.low
	}
	return t.drawSize(p.arg)
}

// flag writes something if a condition is true.
func (t *transcript) flag(condition bool) {
	if condition {
		t.raw("true")
	}
}
