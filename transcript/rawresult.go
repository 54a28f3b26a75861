package transcript

// content is value for what a tool has returned, and tells the size of that: of
// the text, and of images and documents as they are encoded.
func (w *cursor) content() (v rawValue, size int) {
	start := w.at
	if w.is('[') {
		for more := w.enter('['); more; more = w.more(']') {
			size += w.part()
		}
	} else {
		size = w.textLen()
	}
	if w.failed() {
		return nil, 0
	}
	return w.b[start:w.at:w.at], size
}

// part walks past one part of a content and returns its size.
func (w *cursor) part() int {
	if !w.is('{') {
		w.value()
		return 0
	}
	var text, data int
	for more := w.enter('{'); more; more = w.more('}') {
		switch string(w.key()) {
		case "text":
			text = w.textLen()
		case "source":
			data = w.source()
		default:
			w.value()
		}
	}
	return text + data
}

// source walks past the source of an image or a document and returns its size.
func (w *cursor) source() (size int) {
	if !w.is('{') {
		w.value()
		return 0
	}
	for more := w.enter('{'); more; more = w.more('}') {
		if string(w.key()) == "data" {
			size = w.textLen()
		} else {
			w.value()
		}
	}
	return size
}

func (e *editResult) read(w *cursor) {
	*e = editResult{}
	if !w.is('{') {
		w.value()
		return
	}
	for more := w.enter('{'); more; more = w.more('}') {
		switch string(w.key()) {
		case "type":
			e.typ = w.value()
		case "content":
			e.content = w.value()
		case "structuredPatch":
			e.readPatch(w)
		default:
			w.value()
		}
	}
}

// readPatch reads a structured patch: a list of hunks, each with its lines.
func (e *editResult) readPatch(w *cursor) {
	e.added, e.removed = 0, 0
	if e.patched = w.is('['); !e.patched {
		w.value()
		return
	}
	for more := w.enter('['); more; more = w.more(']') {
		added, removed := w.hunk()
		e.added, e.removed = e.added+added, e.removed+removed
	}
}

// hunk walks past one hunk of a patch and counts its lines.
func (w *cursor) hunk() (added, removed uint64) {
	if !w.is('{') {
		w.value()
		return 0, 0
	}
	for more := w.enter('{'); more; more = w.more('}') {
		if string(w.key()) == "lines" {
			added, removed = w.hunkLines()
		} else {
			w.value()
		}
	}
	return added, removed
}

func (w *cursor) hunkLines() (added, removed uint64) {
	if !w.is('[') {
		w.value()
		return 0, 0
	}
	for more := w.enter('['); more; more = w.more(']') {
		switch w.value().firstByte() {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
