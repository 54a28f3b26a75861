package pricing

// Rates are the prices of one token, in 10^-12 US dollars.
type Rates struct {
	Input, CacheWrite5m, CacheWrite1h, CacheRead, Output uint64
}

// A Price has the prices of one request. It is comparable. The zero Price belongs to
// requests that are not priced at all: their amounts are 0.
type Price struct {
	// Unknown means that the table does not have the model.
	Unknown bool
	Rates
	// LongPrompt limits the prompt tokens (input, cache reads and cache writes): above
	// it the whole request has the rates Long; 0 means no limit.
	LongPrompt uint64
	Long       Rates
	// WebSearch is the price of one web search, in 10^-12 US dollars.
	WebSearch uint64
}

// Usage counts the tokens and web searches of a request.
type Usage struct {
	Input, CacheWrite5m, CacheWrite1h, CacheRead, Output, WebSearches uint64
}

// A Cost has the amounts of one request, in 10^-9 US dollars.
type Cost struct {
	Input, CacheWrite5m, CacheWrite1h, CacheRead, Output, WebSearch uint64
	// CacheSavings is the amount saved by reading tokens from the cache instead of
	// sending them as input.
	CacheSavings uint64
	// CacheWritePremium is the additional cost of writing tokens to the cache over
	// sending them as input.
	CacheWritePremium uint64
}

// A Request has the properties that determine the price of a request.
type Request struct {
	Model string // as the transcript states it
	Time  int64  // in milliseconds since the epoch
	Fast  bool   // usage.speed is "fast"
	US    bool   // usage.inference_geo is "us"
	// Multiplier is the factor of all prices of the request's source; 0 means 1.
	Multiplier Multiplier
}
