package transcript

import "bytes"

// turn reads how long a turn took.
func (p *Parser) turn() *Turn {
	isCounted := func(key string) bool { return p.member(key).countOrZero() > 0 }
	return &Turn{
		Milliseconds: p.raw.duration.countOrZero(),
		Pending:      isCounted("pendingBackgroundAgentCount") || isCounted("pendingWorkflowCount"),
	}
}

// taskCall returns the key of the tool call that began a background task, if a user
// entry notifies the model of that task, else zero.
func (p *Parser) taskCall() Key {
	if len(p.blocks) == 0 || !p.blocks[0].typ.is("text") {
		return Key{}
	}
	text := p.blocks[0].text
	if !hasAnyPrefix(p.beginning(text), "<task-notification") {
		return Key{}
	}
	id, ok := between(p.text(text), "<tool-use-id>", "</tool-use-id>")
	if !ok {
		return Key{}
	}
	return p.toolKey.keyOf(bytes.TrimSpace(id))
}
