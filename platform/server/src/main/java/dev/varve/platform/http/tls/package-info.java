/**
 * The certificate that the server shows, read from PEM files: {@link
 * dev.varve.platform.http.tls.TlsSource} is what a person gave, {@link
 * dev.varve.platform.http.tls.ServerTls} what the server's connections use, which follows the
 * files.
 */
package dev.varve.platform.http.tls;
