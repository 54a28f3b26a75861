package ledger

import "github.com/ccwatchd/ccwatchd/transcript"

// WithoutTranscript returns the sessions without a transcript in their source: no file
// has such a name, and no main conversation begins with a line of the session.
func (l *Ledger) WithoutTranscript(ids []SessionID) (missing []SessionID) {
	wanted := make(map[sourceName][]SessionID)
	for _, id := range ids {
		for _, key := range [...]transcript.Key{transcript.NameKey(transcript.FileName(id.ID)), transcript.KeyOf("session", id.ID)} {
			name := sourceName{id.Source, shortHash(key[:])}
			wanted[name] = append(wanted[name], id)
		}
	}
	found := make(map[SessionID]bool)
	for _, f := range l.files.All() {
		if f.has(fileMissing) {
			continue
		}
		attrs := l.attrsOf(&f)
		mark := func(h shortHash) {
			for _, id := range wanted[sourceName{attrs.source, h}] {
				found[id] = true
			}
		}
		mark(f.name)
		if !attrs.kind.IsAgent() {
			mark(f.session)
		}
	}
	for _, id := range ids {
		if !found[id] {
			missing = append(missing, id)
		}
	}
	return missing
}
