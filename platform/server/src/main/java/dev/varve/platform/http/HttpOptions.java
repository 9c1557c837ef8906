package dev.varve.platform.http;

import dev.varve.platform.http.access.ClientAccess;
import dev.varve.platform.http.access.CrossOriginOptions;
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
 * How the server listens.
 *
 * @param address where
 * @param access who may call
 * @param limits what clients may take
 * @param names what settings are called in the messages of errors
 * @param fields what becomes of unknown fields
 * @param resume which streams are kept for clients that come back
 * @param tls what it shows to clients that speak TLS; empty for plain HTTP
 * @param page whether browsers are shown a page
 * @param monitoring what is told to those who watch it
 */
public record HttpOptions(
        ListenAddress address,
        ClientAccess access,
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
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the address is open to other
     *     machines without a key
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

    /** Settings are called by their identifiers. */
    public HttpOptions(ListenAddress address, ClientAccess access, IngressLimits limits) {
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

    /** Loopback, any free port, no key. */
    public static HttpOptions loopback() {
        return new HttpOptions(ListenAddress.LOOPBACK, ClientAccess.LOCAL, IngressLimits.DEFAULT);
    }

    /** The same with other limits. */
    public HttpOptions withLimits(IngressLimits other) {
        return new HttpOptions(
                address, access, other, names, fields, resume, tls, page, monitoring);
    }

    /** The same with other pages. */
    public HttpOptions withPages(CrossOriginOptions other) {
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

    /** The same with other names of settings. */
    public HttpOptions withNames(SettingNames other) {
        return new HttpOptions(
                address, access, limits, other, fields, resume, tls, page, monitoring);
    }

    /** The same with another policy. */
    public HttpOptions withFields(UnknownFieldPolicy other) {
        return new HttpOptions(
                address, access, limits, names, other, resume, tls, page, monitoring);
    }

    /** The same with a certificate, for HTTPS. */
    public HttpOptions withTls(Optional<TlsSource> other) {
        return new HttpOptions(
                address, access, limits, names, fields, resume, other, page, monitoring);
    }

    /** The same with or without a page. */
    public HttpOptions withPage(WebUiMode other) {
        return new HttpOptions(
                address, access, limits, names, fields, resume, tls, other, monitoring);
    }

    /** The same with another rule for streams. */
    public HttpOptions withResume(ResumePolicy other) {
        return new HttpOptions(
                address, access, limits, names, fields, other, tls, page, monitoring);
    }

    /** The same, watched otherwise. */
    public HttpOptions withMonitoring(MonitoringOptions other) {
        return new HttpOptions(address, access, limits, names, fields, resume, tls, page, other);
    }
}
