package dev.varve.platform.hub;

import dev.varve.api.VarveException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Requests the revision and the files of a repository. */
final class HubApi {
    private static final int MOST_BYTES = 8 << 20;
    private static final int MOST_PAGES = 100;
    private static final int MOST_ENTRIES = 100_000;
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");
    private static final Pattern NEXT = Pattern.compile("<([^>]+)>\\s*;\\s*rel=\"?next\"?");

    private record Page(JsonNode json, Optional<URI> next) {}

    private final HubSettings settings;
    private final HubHttp http;
    private final Retries retries;

    HubApi(HubSettings settings, HubHttp http, Retries retries) {
        this.settings = settings;
        this.http = http;
        this.retries = retries;
    }

    /**
     * Returns the current commit of a repository's branch {@code main}.
     *
     * @throws VarveException if the hub refuses the request, or cannot be reached
     */
    String commit(HubReference reference) throws InterruptedException {
        URI uri = api(reference, "/revision/main");
        String commit = page(reference, uri).json().path("sha").asString("");
        if (!COMMIT.matcher(commit).matches()) {
            throw malformed(uri, "a commit of 40 hexadecimal digits in the field sha");
        }
        return commit;
    }

    /**
     * Lists the GGUF files of a commit.
     *
     * @throws VarveException if the hub refuses the request, cannot be reached, or lists a file
     *     that is none
     */
    List<HubFile> files(HubReference reference, String commit) throws InterruptedException {
        List<HubFile> files = new ArrayList<>();
        Set<URI> visited = new HashSet<>();
        int entries = 0;
        Optional<URI> next = Optional.of(api(reference, "/tree/" + commit + "?recursive=true"));
        while (next.isPresent()) {
            URI uri = next.get();
            if (!visited.add(uri) || visited.size() > MOST_PAGES || !HubHttp.isHttp(uri)) {
                throw malformed(uri, "a list of files that ends");
            }
            Page page = page(reference, uri);
            entries += page.json().size();
            if (!page.json().isArray() || entries > MOST_ENTRIES) {
                throw malformed(uri, "a list of at most " + MOST_ENTRIES + " files");
            }
            for (JsonNode entry : page.json()) {
                String path = entry.path("path").asString("");
                if (path.endsWith(".gguf") && entry.path("type").asString("file").equals("file")) {
                    files.add(file(path, entry));
                }
            }
            next = page.next();
        }
        return files;
    }

    private static HubFile file(String path, JsonNode entry) {
        JsonNode lfs = entry.path("lfs");
        return lfs.isObject()
                ? new HubFile(path, lfs.path("size").asLong(-1), lfs.path("oid").asString(""))
                : new HubFile(path, entry.path("size").asLong(-1), entry.path("oid").asString(""));
    }

    /** Address of a file's content. */
    URI content(HubReference reference, String commit, String path) {
        String encoded =
                Arrays.stream(path.split("/"))
                        .map(
                                name ->
                                        URLEncoder.encode(name, StandardCharsets.UTF_8)
                                                .replace("+", "%20"))
                        .collect(Collectors.joining("/"));
        return URI.create(settings.page(reference) + "/resolve/" + commit + "/" + encoded);
    }

    private URI api(HubReference reference, String rest) {
        return URI.create(settings.endpoint() + "/api/models/" + reference.repository() + rest);
    }

    private Page page(HubReference reference, URI uri) throws InterruptedException {
        return retries.run(() -> request(reference, uri), () -> 0, "");
    }

    private Page request(HubReference reference, URI uri) throws IOException, InterruptedException {
        try (Reply reply = http.get(uri, Map.of("Accept", "application/json"))) {
            if (reply.status() != 200) {
                throw new HubErrors(settings).of(reference, reply);
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (List<ByteBuffer> piece = reply.body().next();
                    !piece.isEmpty();
                    piece = reply.body().next()) {
                for (ByteBuffer each : piece) {
                    byte[] array = new byte[each.remaining()];
                    each.get(array);
                    bytes.writeBytes(array);
                }
                if (bytes.size() > MOST_BYTES) {
                    throw malformed(uri, "at most " + MOST_BYTES + " bytes");
                }
            }
            return new Page(JsonMapper.shared().readTree(bytes.toByteArray()), next(reply));
        } catch (JacksonException e) {
            throw malformed(uri, "JSON of the hub's API");
        }
    }

    private static Optional<URI> next(Reply reply) {
        try {
            return reply.header("link")
                    .map(NEXT::matcher)
                    .filter(Matcher::find)
                    .map(link -> reply.uri().resolve(link.group(1)));
        } catch (IllegalArgumentException e) {
            throw malformed(reply.uri(), "the address of the next page");
        }
    }

    private static VarveException malformed(URI uri, String expected) {
        return new VarveException(
                VarveException.Kind.UNAVAILABLE,
                HubHttp.plain(uri)
                        + ": expected "
                        + expected
                        + ", found another response; HF_ENDPOINT may name a server that is no hub");
    }
}
