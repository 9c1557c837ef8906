package dev.varve.platform.hub;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Downloads models from a hub into the shared cache, or from a URL. For one thread. */
public final class ModelHub implements AutoCloseable {
    /** A file beside the model that is also downloaded. */
    public enum Companion {
        /** The draft model, for speculative decoding. */
        DRAFT,
        /** The projector of images or audio, {@code mmproj}. */
        PROJECTOR
    }

    private static final String CACHE_VARIABLE = "HF_HUB_CACHE";

    private final HubSettings settings;
    private final HubCache cache;
    private final DownloadListener listener;
    private final FileDownload.Tools tools;
    private final HubApi api;

    /** Opens a client; it sends no request before {@code pull}. */
    public ModelHub(HubSettings settings, DownloadListener listener) {
        this(settings, listener, DiskSpace.ofFileSystem(), time -> Thread.sleep(time));
    }

    ModelHub(
            HubSettings settings, DownloadListener listener, DiskSpace space, Retries.Pause pause) {
        this.settings = settings;
        this.listener = listener;
        cache = new HubCache(settings.cache());
        HubHttp http = new HubHttp(settings);
        Retries retries = new Retries(pause, InstantSource.system(), listener);
        tools = new FileDownload.Tools(http, retries, space);
        api = new HubApi(settings, http, retries);
    }

    /**
     * Downloads what the cache lacks of a model's current files.
     *
     * @param companions files beside the model
     * @throws VarveException with the reason if the hub has no such model or companion, refuses
     *     access or cannot be reached, or the disk is full; the next call resumes the download
     */
    public PulledModel pull(HubReference reference, Set<Companion> companions)
            throws InterruptedException {
        requireOnline(reference.toString());
        String commit = api.commit(reference);
        List<HubFile> all = api.files(reference, commit);
        RepositoryFiles names = new RepositoryFiles(all.stream().map(HubFile::path).toList());
        List<String> model = names.model(reference);
        List<String> chosen = new ArrayList<>(model);
        for (Companion companion : companions) {
            chosen.add(companion(reference, names, model.getFirst(), companion));
        }
        List<HubFile> files = all.stream().filter(file -> chosen.contains(file.path())).toList();
        download(reference, commit, files);
        cache.link(reference, commit, files);
        return cache.find(
                        reference.withQuant(
                                reference.quant().orElse(RepositoryFiles.quant(model.getFirst()))))
                .orElseThrow();
    }

    private static String companion(
            HubReference reference, RepositoryFiles names, String model, Companion companion) {
        Optional<String> found =
                switch (companion) {
                    case DRAFT -> names.draft(model);
                    case PROJECTOR -> names.projector(model);
                };
        return found.orElseThrow(
                () ->
                        new VarveException(
                                VarveException.Kind.INVALID_REQUEST,
                                reference.repository()
                                        + ": the repository has no "
                                        + switch (companion) {
                                            case DRAFT -> "draft model";
                                            case PROJECTOR -> "projector (mmproj)";
                                        }));
    }

    private void download(HubReference reference, String commit, List<HubFile> files)
            throws InterruptedException {
        cache.createFolders(reference);
        long missing =
                files.stream().mapToLong(f -> cache.missingBytes(reference, commit, f)).sum();
        long total = files.stream().mapToLong(HubFile::bytes).sum();
        tools.space().require(cache.blob(reference, files.getFirst()), missing, CACHE_VARIABLE);
        long before = 0;
        for (HubFile file : files) {
            long begin = before;
            fetch(
                    reference,
                    commit,
                    file,
                    new FileDownload.Source(
                            file.path(),
                            api.content(reference, commit, file.path()),
                            OptionalLong.of(file.bytes()),
                            Optional.of(file.digest()),
                            CACHE_VARIABLE,
                            reply -> new HubErrors(settings).of(reference, reply)),
                    (done, _) -> listener.progress(file.path(), begin + done, total));
            before += file.bytes();
        }
    }

    private void fetch(
            HubReference reference,
            String commit,
            HubFile file,
            FileDownload.Source source,
            FileDownload.Progress progress)
            throws InterruptedException {
        if (cache.isComplete(reference, commit, file)) {
            return;
        }
        try (FileLocks _ = lock(cache.lock(reference, file.digest()), file.path())) {
            // Another process may have completed it meanwhile.
            if (!cache.isComplete(reference, commit, file)) {
                new FileDownload(tools, source, cache.part(reference, file), progress).run();
                cache.complete(reference, file);
            }
        }
    }

    private FileLocks lock(Path file, String name) throws InterruptedException {
        return FileLocks.lock(
                file,
                () -> listener.note(name + ": another process downloads it; waiting for that"));
    }

    /**
     * Downloads what the folder lacks of the model of a URL; of a split model all parts, whatever
     * part the URL names. The content is checked if the server reports its SHA-256 as the hub does.
     *
     * @return the file; the first part of a split model
     * @throws IllegalArgumentException if the URL names no GGUF file
     * @throws VarveException with the reason if it cannot be downloaded
     */
    public Path pull(URI uri, UrlCache urls) throws InterruptedException {
        Path file = urls.file(uri);
        if (urls.isDownloaded(uri)) {
            return file;
        }
        requireOnline(UrlCache.address(uri));
        String path = uri.getRawPath();
        try (FileLocks _ = lock(urls.lock(uri), file.getFileName().toString())) {
            urls.createFolder(uri);
            for (String part : RepositoryFiles.partNames(path)) {
                // Only the path differs, and the query may contain more than Java's URI would keep.
                URI address = URI.create(uri.toString().replace(path, part));
                fetch(address, file.resolveSibling(UrlCache.name(address)));
            }
        } catch (IOException e) {
            throw failure(file, e);
        }
        return file;
    }

    private void fetch(URI uri, Path file) throws IOException, InterruptedException {
        if (Files.exists(file)) {
            return;
        }
        String name = file.getFileName().toString();
        Path part = file.resolveSibling(name + ".varve-part");
        new FileDownload(
                        tools,
                        new FileDownload.Source(
                                name,
                                uri,
                                OptionalLong.empty(),
                                Optional.empty(),
                                "VARVE_CACHE",
                                HubErrors::of),
                        part,
                        (done, total) -> listener.progress(name, done, total))
                .run();
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        Files.deleteIfExists(part.resolveSibling(part.getFileName() + FileDownload.TAG_SUFFIX));
    }

    private void requireOnline(String model) {
        if (settings.offline()) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    model + ": HF_HUB_OFFLINE is set, so nothing is downloaded");
        }
    }

    private static VarveException failure(Path file, IOException e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                file + ": cannot be written: " + FileErrors.reason(e),
                e);
    }

    /** Closes all connections. */
    @Override
    public void close() {
        tools.http().close();
    }
}
