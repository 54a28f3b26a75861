package pricing

// Rates are what one token costs, in 10^-12 US dollars.
type Rates struct {
	Input, CacheWrite5m, CacheWrite1h, CacheRead, Output uint64
}

// A Price is what each part of one request costs. It is comparable. The zero Price is
// that of requests that are not priced at all: their amounts are 0.
type Price struct {
	// Unknown means that the table does not have the model.
	Unknown bool
	Rates
	// LongPrompt is the number of prompt tokens (input, cache reads and cache writes)
	// above which Long are the rates of the whole request; 0 if there is no such limit.
	LongPrompt uint64
	Long       Rates
	// WebSearch is what one web search costs, in 10^-12 US dollars.
	WebSearch uint64
}

// Usage is what a request used: tokens, and web searches.
type Usage struct {
	Input, CacheWrite5m, CacheWrite1h, CacheRead, Output, WebSearches uint64
}

// A Cost has the amounts of one request, in 10^-9 US dollars.
type Cost struct {
	Input, CacheWrite5m, CacheWrite1h, CacheRead, Output, WebSearch uint64
	// CacheSavings is what the tokens read from the cache would have cost more as input.
	CacheSavings uint64
	// CacheWritePremium is what the tokens written to the cache cost more than as input.
	CacheWritePremium uint64
}

// A Request is what the price of a request depends on.
type Request struct {
	Model string // as the transcript states it
	Time  int64  // in milliseconds since the epoch
	Fast  bool   // usage.speed is "fast"
	US    bool   // usage.inference_geo is "us"
}
