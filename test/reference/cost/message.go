package cost

import (
	"cmp"
	"math/big"
	"time"
)

// Prices are the price lists.
type Prices struct{ book book }

// NewPrices returns the price lists.
func NewPrices() (*Prices, error) {
	b, err := newBook()
	return &Prices{b}, err
}

// Message returns what a message costs by one of its records, in 10^-9 dollars: by the
// usage of the record, and by the iterations that this does not include. message is the
// "message" of an entry from the time at.
func (p *Prices) Message(message map[string]any, at time.Time) (own, iterations *big.Int) {
	usage := message["usage"]
	r := &record{
		model: cmp.Or(text(message["model"]), "unknown"), usage: usage, at: at,
		fast: member(usage, "speed") == "fast", us: member(usage, "inference_geo") == "us",
	}
	own, iterations = new(big.Int), new(big.Int)
	for i, request := range r.requests() {
		total := iterations
		if i == 0 {
			total = own
		}
		invoice, _ := p.book.invoice(request)
		for _, amount := range invoice.components {
			total.Add(total, amount)
		}
	}
	return own, iterations
}
