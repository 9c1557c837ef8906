package dev.varve.platform.cli;

import dev.varve.platform.http.fetch.AllowedHosts;
import dev.varve.platform.http.fetch.ImageFetcher;

import picocli.CommandLine.Option;

import java.util.List;
import java.util.Optional;

/** Option for the images that requests name by URL. */
final class ImageUrlArguments {
    private static final String HOSTS = "--allow-image-urls";

    @Option(
            names = HOSTS,
            paramLabel = "HOST",
            arity = "1",
            split = ",",
            description =
                    "Host whose images requests may name by URL (default: none). Repeatable, or a"
                        + " list with commas: NAME, NAME:PORT, *.DOMAIN, or * for all. Its"
                        + " addresses must be public, unless it is an address itself or ends with"
                        + " =private.",
            order = OptionSections.IMAGES + 4)
    private List<String> hosts = List.of();

    /**
     * Returns the fetcher; empty if the server may not fetch images.
     *
     * @throws UsageException if a host is malformed
     */
    Optional<ImageFetcher> fetcher() {
        if (hosts.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ImageFetcher(AllowedHosts.parse(hosts)));
        } catch (IllegalArgumentException e) {
            throw new UsageException(HOSTS + ": " + e.getMessage());
        }
    }
}
