package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
)

// A response is the response to a request.
type response struct {
	status int
	header http.Header
	body   string
}

// get requests a page in an accepted format.
func (d *process) get(path, accept string) (status int, body string, err error) {
	r, err := d.request(http.MethodGet, path, header("Accept", accept))
	return r.status, r.body, err
}

// page returns a page, or the metrics as text. The status must be 200.
func (d *process) page(path string) string {
	d.t.Helper()
	status, body, err := d.get(path, plainText)
	if err != nil || status != http.StatusOK {
		d.t.Fatalf("%s: status %d, %v", path, status, err)
	}
	return body
}

// request sends a request after applying changes to it.
func (d *process) request(method, path string, changes ...func(*http.Request)) (response, error) {
	return d.send(d.client, method, "http://"+d.address+path, changes...)
}

// header returns a change that sets a header, unless its value is empty.
func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// host returns a change that sets the Host header.
func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func (d *process) send(client *http.Client, method, url string, changes ...func(*http.Request)) (response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return response{}, err
	}
	for _, change := range changes {
		change(r)
	}
	a, err := client.Do(r)
	if err != nil {
		return response{}, err
	}
	b, err := io.ReadAll(a.Body)
	return response{a.StatusCode, a.Header, string(b)}, errors.Join(err, a.Body.Close())
}

// has reports whether a scrape has a sample, in the text format.
func (d *process) has(sample string) bool {
	d.t.Helper()
	status, body, err := d.get("/metrics", plainText)
	return err == nil && status == http.StatusOK && strings.Contains(body, "\n"+sample+"\n")
}
