package ledger

import (
	"slices"

	"github.com/ccwatchd/ccwatchd/counters"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// messages counts API messages: their requests, tokens and cost.
type messages struct {
	basic
	sessions   *sessions
	reported   *reported
	attributor *attributor
	families   messageFamilies
	costs      costFamilies
	how        attributeFamilies

	heldMessages
	counted *table.Table[hash64, countedMessage]
	*prices
}

// messageFamilies are the families that grow when a message is counted.
type messageFamilies struct {
	tokens, thinking, entrypointTokens, requests, incomplete, cacheRequests, cacheMisses, cacheRewritten, context, output, serverTools counters.ID
}

func newMessages(c *core, s *sessions, r *reported) *messages {
	p := &messages{
		basic: basic{c}, sessions: s, reported: r, attributor: newAttributor(c),
		families: messageFamilies{
			tokens: c.declare(caveat(claudeCounter("tokens_total", "Tokens of API messages, each message counted once.", "type", "model", "project", "agent"),
				"Cache writes without a stated lifetime count as `cache_write_5m`. Output is too low where Claude Code wrote placeholders: mostly in versions 2.1.8 to 2.1.58, in some messages of other versions before 2.1.97, and of sub-agents before 2.1.307.")),
			thinking: c.declare(caveat(claudeCounter("thinking_tokens_total", "Thinking tokens, which are part of the output tokens.", "model", "project", "agent"),
				"Since 2.1.220.")),
			entrypointTokens: c.declare(caveat(claudeCounter("entrypoint_tokens_total", "Tokens of API messages, by how Claude Code was started.", "entrypoint", "type"),
				"`unknown` before 2.1.78. Together they are `claude_tokens_total`.")),
			requests: c.declare(caveat(claudeCounter("requests_total", "API responses, by stop reason.", "model", "project", "agent", "stop_reason"),
				"`none` if not stated.")),
			incomplete: c.declare(caveat(claudeCounter("incomplete_responses_total", "API responses whose stream broke off, so that their output tokens are too low.", "model"),
				"Since 2.1.260. Those that broke off before their first content block are in no transcript. Short responses of servers that do not stream can count, too.")),
			cacheRequests: c.declare(claudeCounter("cache_requests_total", "API responses, by use of the prompt cache: a miss only wrote to it, a partial hit wrote much of it again.", "result", "model", "project", "agent")),
			cacheMisses: c.declare(caveat(claudeCounter("cache_misses_total", "API responses that only wrote to the prompt cache, by reason, each counted once.", "reason", "project", "agent"),
				"`cold_start` is the first request, `idle_expired` a pause longer than the cache lives (five minutes or an hour).")),
			cacheRewritten: c.declare(caveat(claudeCounter("cache_rewritten_tokens_total", "Tokens written to the prompt cache again by misses and partial hits, by reason.", "reason", "project", "agent"),
				"At most what the request before had in the cache; nothing by a cold start.")),
			context: c.declare(histogram(caveat(claudeCounter("request_context_tokens", "Tokens sent with an API request: input, cache reads and cache writes.", "model"),
				"Messages that state none are missing."), 1, 20e3, 50e3, 100e3, 200e3, 500e3)),
			output: c.declare(histogram(caveat(claudeCounter("request_output_tokens", "Output tokens of an API response, if its transcript states how it ended.", "model"),
				"Other responses often have placeholders."), 1, 100, 300, 1e3, 3e3, 10e3)),
			serverTools: c.declare(caveat(claudeCounter("server_tool_requests_total", "Requests to tools that run on the server: in the usage of API messages, and searches of the tool WebSearch.", "tool", "model"),
				"WebSearch since 2.1.143; the tokens of its requests are in no transcript.")),
		},
		costs: newCostFamilies(c), how: newAttributeFamilies(c),
		prices: newPrices(c),
	}
	p.heldMessages = newHeldMessages(c)
	p.counted = owned(c, tableCounted, codeCounted, func(m countedMessage) FileID { return m.file })
	c.countRows("message", p.held, p.counted)
	countOwned(c, p.held, func(_ hash64, h heldMessage) FileID { return h.file })
	return p
}

// messageLabels are the labels under which a message is counted.
type messageLabels struct {
	model, project, agent string
	source                SourceLabels
	price                 priceID         // 0 before the message is counted
	entrypoint            transcript.Enum // 0 before the message is counted
	timed                 bool            // the time of the request was observed, see requestTiming
	attribution           attributionID
}

func codeMessageLabels(c *table.Coder, m *messageLabels) {
	table.String(c, 1, &m.model)
	table.String(c, 2, &m.project)
	table.String(c, 3, &m.agent)
	table.String(c, 4, &m.source)
	table.Uint(c, 5, &m.price)
	table.Bool(c, 6, &m.timed)
	table.Uint(c, 7, &m.attribution)
	table.Uint(c, 8, &m.entrypoint)
}

// countLine processes a record of an API message, or a prompt, which ends the message
// before it. Claude Code's own commands can appear within a message, and the prompts of
// a side chain are no prompts of a person.
func (p *messages) countLine(l *line, e *transcript.Entry) {
	if e.Message != nil {
		p.addRecord(l, e.Message)
	}
	if e.Prompt != nil && e.Type != "system" && (!l.side || e.Prompt.Kind == transcript.Interruption) {
		p.supersede(l.file)
	}
}

// addRecord counts or holds a record of a message.
func (p *messages) addRecord(l *line, m *transcript.Message) {
	if l.startsMessage {
		p.supersede(l.file)
		l.file.message = l.message
	}
	key := hashOf(l.message)
	if known, ok := p.counted.Get(key); ok {
		p.countCopy(l, m, known.file, known.final)
		p.correct(&l.event, key, known, m)
		return
	}
	if h, ok := p.held.Get(key); ok {
		p.countCopy(l, m, h.file, p.details.Value(h.details).stopReason != "")
		p.improve(key, &h, m, l.when, attributesOf(l.file, m))
		p.groups.join(h.file, l.id)
		if !p.isElsewhere(h.file, l.source) { // else it stays in its source
			h.file = l.id
		}
		p.held.Put(key, h)
	} else {
		p.hold(key, heldMessage{
			file: l.id, labels: p.labelSets.ID(p.limitAttributions(l.labels(), l.when)), when: l.when, session: l.sessionHash(), miss: l.miss,
		}, m, attributesOf(l.file, m))
	}
	l.file.set(fileOpen, true)
}

// countCopy counts a duplicate if the line is the first of a copy of a known message.
// The lines of a message follow each other in a file, so later lines are not copies,
// and neither is a final line that comes after lines of another message.
func (p *messages) countCopy(l *line, m *transcript.Message, known FileID, final bool) {
	l.file.set(fileHasCopies, l.file.has(fileHasCopies) || known != l.id)
	if l.startsMessage && (known != l.id || final || !m.IsFinal()) {
		p.duplicate("message", l.when)
	}
}

// A rank determines which of two records of a message counts.
type rank struct {
	final  bool
	output uint64
}

func rankOf(m *transcript.Message) rank { return rank{m.IsFinal(), m.Usage.Output} }

// beats reports whether a record of this rank counts rather than an earlier one.
func (r rank) beats(earlier rank) bool {
	if r.final != earlier.final {
		return r.final
	}
	return r.output >= earlier.output
}

// supersede records that the file continues with something else: the message that was
// being written to it is ready to be counted.
func (p *messages) supersede(f *fileState) {
	key := hashOf(f.openMessage())
	if h, ok := p.held.Get(key); ok {
		p.completeAttributes(&h)
		p.markReady(key, &h)
		p.held.Put(key, h)
	}
	f.set(fileOpen, false)
}

// endAtPause completes the message that was being written before a pause.
func (p *messages) endAtPause(l *line) {
	key := hashOf(l.file.openMessage())
	if h, ok := p.held.Get(key); ok {
		p.completeAttributes(&h)
		p.held.Put(key, h)
	}
}

// manyReady is the capacity of heldMessages.ready that is kept after a catch-up.
const manyReady = 1 << 12

// Settle counts the messages that are final or were superseded in their file. Until
// then a better record can still replace them, so a catch-up settles once at its end:
// the counters are not exposed before.
func (l *Ledger) Settle() {
	l.messages.settle()
	l.set.Expose()
}

func (p *messages) settle() {
	for _, key := range p.ready {
		if h, m, ok := p.release(key); ok {
			p.countMessage(key, &h, &m)
		}
	}
	p.ready = p.ready[:0]
	if cap(p.ready) > manyReady {
		p.ready = nil
	}
}

// finalize counts the messages that were being written to a file.
func (p *messages) finalize(id FileID, f *fileState, _ int64) {
	before := slices.Sorted(slices.Values(p.openBeforeReset[id])) // as after a restart
	for _, key := range append(before, hashOf(f.openMessage())) {
		h, ok := p.held.Get(key)
		if !ok {
			continue
		}
		if h.file == id {
			p.markReady(key, &h)
		}
		if h.openBeforeReset == id {
			p.setOpenBeforeReset(key, &h, 0)
		}
		p.held.Put(key, h)
	}
	f.set(fileOpen, false)
	p.settle()
}

func (p *messages) hasPending(id FileID, f *fileState) bool {
	return p.held.Has(hashOf(f.openMessage())) || len(p.openBeforeReset[id]) > 0
}

func (p *messages) reset(id FileID, f *fileState) {
	key := hashOf(f.openMessage())
	if h, ok := p.held.Get(key); ok && h.file == id {
		p.setOpenBeforeReset(key, &h, id)
		p.held.Put(key, h)
	}
}

// limitAttributions returns the labels under which a message is counted: with the
// overflow of their attribution if the source has too many labels.
func (p *messages) limitAttributions(m messageLabels, when int64) messageLabels {
	if m.attribution != 0 && !p.labelSets.fits(m, maxMessageLabels) {
		p.set.CountOverflow(when)
		m.attribution = p.attributor.attributionID(p.attributor.attributionOf(m.attribution).overflow())
	}
	return m
}

func (p *messages) reindex() bool {
	p.labelSets.reindex()
	p.attributor.attributions.reindex()
	for _, m := range p.labelSets.Values() {
		if int(m.price) > p.known.Len() || int(m.attribution) > p.attributor.attributions.Len() {
			return false
		}
	}
	for _, m := range p.counted.All() {
		if int(m.labels) >= p.labelSets.Len() {
			return false
		}
	}
	p.latest = latestPrice{}
	return p.isUnpricedValid() && p.heldMessages.reindex(p.labelSets.Len())
}
