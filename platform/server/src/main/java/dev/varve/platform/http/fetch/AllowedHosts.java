package dev.varve.platform.http.fetch;

import dev.varve.platform.setting.Setting;
import dev.varve.platform.vision.InvalidImageException;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The hosts from which images may be fetched. Immutable. */
public final class AllowedHosts {
    private final List<AllowedHost> hosts;

    private AllowedHosts(List<AllowedHost> hosts) {
        this.hosts = List.copyOf(hosts);
    }

    /**
     * Parses hosts: {@code HOST}, {@code HOST:PORT}, {@code *.DOMAIN} or {@code *}, and {@code
     * HOST=private} for names whose addresses are not public.
     *
     * @throws IllegalArgumentException that names the first value of another form
     */
    public static AllowedHosts parse(List<String> values) {
        List<AllowedHost> hosts = new ArrayList<>();
        for (String value : values) {
            Optional<AllowedHost> host = AllowedHost.parse(value);
            hosts.add(
                    host.orElseThrow(
                            () ->
                                    new IllegalArgumentException(
                                            "expected HOST, HOST:PORT or HOST=private, found "
                                                    + value)));
        }
        return new AllowedHosts(hosts);
    }

    /**
     * Checks the host of a URL.
     *
     * @throws InvalidImageException if it is not allowed
     */
    void requireAllowed(ImageUrl url) {
        if (hosts.stream().noneMatch(host -> host.covers(url))) {
            throw new InvalidImageException(
                    "the server may not fetch from "
                            + url.authority()
                            + "; send the image as data:image/png;base64,..., or add the host to "
                            + Setting.ALLOW_IMAGE_URLS);
        }
    }

    /**
     * Checks the addresses of such a host.
     *
     * @throws InvalidImageException if one is not public, which the message does not contain
     */
    void requireAllowed(ImageUrl url, List<InetAddress> addresses) {
        boolean any = hosts.stream().anyMatch(host -> host.anyAddress() && host.covers(url));
        if (!any && !addresses.stream().allMatch(PublicAddresses::contain)) {
            throw new InvalidImageException(
                    "the server may not fetch from "
                            + url.authority()
                            + ": an address of this host is not public");
        }
    }
}
