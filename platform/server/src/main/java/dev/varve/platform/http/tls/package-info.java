/**
 * The server's certificate, read from PEM files: {@link dev.varve.platform.http.tls.TlsSource}
 * holds the files that the operator gave, {@link dev.varve.platform.http.tls.ServerTls} provides
 * TLS for the server's connections and reloads changed files.
 */
package dev.varve.platform.http.tls;
