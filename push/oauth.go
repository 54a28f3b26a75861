package push

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/prometheus/common/config"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/ccwatchd/ccwatchd/internal/redact"
)

const (
	errTokenRedirect = redact.SafeError("the token server redirects: configure the final token_url")
	errGrant         = redact.SafeError("oauth2: only client_secret and client_secret_file are supported, with the grant type client_credentials")
	errNoToken       = redact.SafeError("get OAuth2 token")
	errOAuth2        = redact.SafeError("no token in the response, or an invalid parameter in oauth2")
)

// An authorizer adds an OAuth2 token to requests, like the HTTP client of Prometheus,
// with client credentials only. In contrast, it follows no redirect of the token
// server, which would send the client secret elsewhere, and it stops when the request
// is canceled. It is for one goroutine.
type authorizer struct {
	next   http.RoundTripper
	client *http.Client // for the token server
	config *config.OAuth2
	// credentials remember how the token server accepts them. credentials and token
	// belong to the present secret.
	credentials *clientcredentials.Config
	token       *oauth2.Token
}

func newAuthorizer(o *config.OAuth2, name string, next http.RoundTripper) (*authorizer, error) {
	jwt := o.ClientCertificateKey != "" || o.ClientCertificateKeyFile != "" || o.ClientCertificateKeyRef != ""
	if jwt || o.ClientSecretRef != "" || o.GrantType != "" && o.GrantType != "client_credentials" {
		return nil, errGrant
	}
	client, err := newHTTPClient(config.HTTPClientConfig{TLSConfig: o.TLSConfig, ProxyConfig: o.ProxyConfig}, name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", redact.SafeError("oauth2"), err)
	}
	return &authorizer{next: next, client: client, config: o}, nil
}

// RoundTrip implements http.RoundTripper.
func (a *authorizer) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := a.authorize(r.Context(), r.UserAgent()); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoToken, err)
	}
	r = r.Clone(r.Context())
	a.token.SetAuthHeader(r)
	return a.next.RoundTrip(r)
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections.
func (a *authorizer) CloseIdleConnections() {
	a.client.CloseIdleConnections()
	closeIdle(a.next)
}

// authorize requests a token unless a token for the same secret is still valid.
func (a *authorizer) authorize(ctx context.Context, userAgent string) error {
	secret, err := a.readSecret(ctx)
	if err != nil {
		return err
	}
	if a.credentials == nil || a.credentials.ClientSecret != secret {
		a.credentials, a.token = a.newCredentials(secret), nil
	}
	if a.token.Valid() {
		return nil
	}
	client := *a.client
	client.Transport = config.NewUserAgentRoundTripper(userAgent, client.Transport)
	token, err := a.credentials.Token(context.WithValue(ctx, oauth2.HTTPClient, &client))
	failed, answered := errors.AsType[*oauth2.RetrieveError](err)
	_, unanswered := errors.AsType[*url.Error](err)
	switch {
	case answered && isRedirect(failed.Response.StatusCode):
		return errTokenRedirect
	case err != nil && !answered && !unanswered:
		return errOAuth2
	case err != nil:
		return err
	}
	a.token = token
	return nil
}

func (a *authorizer) newCredentials(secret string) *clientcredentials.Config {
	params := make(url.Values)
	for name, value := range a.config.EndpointParams {
		params.Set(name, value)
	}
	return &clientcredentials.Config{
		ClientID: a.config.ClientID, ClientSecret: secret, Scopes: a.config.Scopes, TokenURL: a.config.TokenURL, EndpointParams: params,
	}
}

// readSecret returns the client secret, from its file if configured.
func (a *authorizer) readSecret(ctx context.Context) (string, error) {
	if file := a.config.ClientSecretFile; file != "" {
		return config.NewFileSecret(file).Fetch(ctx)
	}
	return string(a.config.ClientSecret), nil
}
