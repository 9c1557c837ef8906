package dev.varve.platform.http;

import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.http.page.WebUiMode;
import dev.varve.platform.http.resume.ResumePolicy;
import dev.varve.platform.http.tls.TlsSource;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.setting.SettingNames;

import java.util.Objects;
import java.util.Optional;

/**
 * Options of the HTTP server.
 *
 * @param address address on which the server listens
 * @param access access rules
 * @param limits limits on the resources of clients
 * @param names names of settings in error messages
 * @param fields treatment of unknown fields
 * @param resume which streams are resumable
 * @param tls source of the certificate for TLS; empty for plain HTTP
 * @param page whether the server serves the web page
 * @param monitoring optional metrics and tracing
 */
public record HttpOptions(
        ListenAddress address,
        ClientAccessSettings access,
        IngressLimits limits,
        SettingNames names,
        UnknownFieldPolicy fields,
        ResumePolicy resume,
        Optional<TlsSource> tls,
        WebUiMode page,
        MonitoringOptions monitoring) {
    /**
     * Checks that the access fits the address.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the address is reachable from
     *     other machines and no key is required
     */
    public HttpOptions {
        Objects.requireNonNull(limits);
        Objects.requireNonNull(names);
        Objects.requireNonNull(fields);
        Objects.requireNonNull(resume);
        Objects.requireNonNull(tls);
        Objects.requireNonNull(page);
        Objects.requireNonNull(monitoring);
        access.requireFor(address);
    }

    /**
     * Makes options with defaults for the rest; error messages name settings by their identifiers.
     */
    public HttpOptions(ListenAddress address, ClientAccessSettings access, IngressLimits limits) {
        this(
                address,
                access,
                limits,
                SettingNames.IDENTIFIERS,
                UnknownFieldPolicy.LENIENT,
                ResumePolicy.ON_REQUEST,
                Optional.empty(),
                WebUiMode.SHOWN,
                MonitoringOptions.PLAIN);
    }

    /** Returns options for loopback, any free port, no key. */
    public static HttpOptions loopback() {
        return new HttpOptions(
                ListenAddress.LOOPBACK, ClientAccessSettings.LOCAL, IngressLimits.DEFAULT);
    }

    /** Returns a copy with other limits. */
    public HttpOptions withLimits(IngressLimits other) {
        return new HttpOptions(
                address, access, other, names, fields, resume, tls, page, monitoring);
    }

    /** Returns a copy with other cross-origin options. */
    public HttpOptions withPages(CorsAndHostOptions other) {
        return new HttpOptions(
                address,
                access.withPages(other),
                limits,
                names,
                fields,
                resume,
                tls,
                page,
                monitoring);
    }

    /** Returns a copy with other setting names. */
    public HttpOptions withNames(SettingNames other) {
        return new HttpOptions(
                address, access, limits, other, fields, resume, tls, page, monitoring);
    }

    /** Returns a copy with another policy for unknown fields. */
    public HttpOptions withFields(UnknownFieldPolicy other) {
        return new HttpOptions(
                address, access, limits, names, other, resume, tls, page, monitoring);
    }

    /** Returns a copy with a certificate source, for HTTPS. */
    public HttpOptions withTls(Optional<TlsSource> other) {
        return new HttpOptions(
                address, access, limits, names, fields, resume, other, page, monitoring);
    }

    /** Returns a copy with or without the web page. */
    public HttpOptions withPage(WebUiMode other) {
        return new HttpOptions(
                address, access, limits, names, fields, resume, tls, other, monitoring);
    }

    /** Returns a copy with another resume policy. */
    public HttpOptions withResume(ResumePolicy other) {
        return new HttpOptions(
                address, access, limits, names, fields, other, tls, page, monitoring);
    }

    /** Returns a copy with other monitoring options. */
    public HttpOptions withMonitoring(MonitoringOptions other) {
        return new HttpOptions(address, access, limits, names, fields, resume, tls, page, other);
    }
}
