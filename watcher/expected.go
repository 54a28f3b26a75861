package watcher

// heatExpected makes the files hot that are expected to be written soon, unless they
// are hot: so the first line in a file that was not written for long is found as soon
// as any other.
func (p *poller) heatExpected() {
	names := p.o.Expected()
	if len(names) == 0 {
		return
	}
	for _, d := range p.order {
		for _, name := range names {
			k := fileKey{d, name}
			if _, known := d.files[name]; known && p.hot[k] == nil {
				p.heat(k, p.now())
			}
		}
	}
}
