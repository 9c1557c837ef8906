package dev.varve.platform.hub;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.digest.Sha256;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The folder of models from URLs. For each model, where HASH is that of {@link #address}:
 *
 * <pre>
 * HASH/NAME.gguf     each part
 * HASH/url           the address, as text
 * .locks/HASH.lock   locked by the process that downloads the model
 * </pre>
 *
 * @param root need not exist
 */
public record UrlCache(Path root) {
    private static final String ADDRESS = "url";

    /**
     * Returns the name of the model of a URL: the URL without its query, which may contain a
     * signature; of a split model that of the first part. URLs with equal names are one model.
     */
    public static String address(URI uri) {
        return RepositoryFiles.partNames(HubHttp.plain(uri)).getFirst();
    }

    /**
     * Returns where the file of a URL is, or will be; of a split model the first part.
     *
     * @throws IllegalArgumentException if the URL names no GGUF file, or contains a user
     */
    public Path file(URI uri) {
        if (!HubHttp.isHttp(uri) || !name(uri).matches("\\w[\\w.+-]*\\.gguf")) {
            throw new IllegalArgumentException(
                    "expected the address of a GGUF file such as https://host/model.gguf, without"
                            + " a user, found "
                            + HubHttp.plain(uri));
        }
        return folder(uri).resolve(name(URI.create(address(uri))));
    }

    /** Whether all files of a model are complete. */
    public boolean isDownloaded(URI uri) {
        Path file = file(uri);
        return RepositoryFiles.partNames(file.getFileName().toString()).stream()
                .allMatch(part -> Files.isRegularFile(file.resolveSibling(part)));
    }

    /**
     * Deletes a model, also an unfinished download.
     *
     * @return freed bytes; empty if there is nothing to delete
     * @throws VarveException of kind UNAVAILABLE if another process downloads it; of kind
     *     UNREADABLE_FILE if a file cannot be deleted
     */
    public Optional<Long> remove(URI uri) {
        Path folder = file(uri).getParent();
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (FileLocks _ = FileLocks.tryLock(List.of(lock(uri)), address(uri))) {
            long freed = 0;
            for (Path file : list(folder)) {
                freed += Files.size(file);
                Files.delete(file);
            }
            Files.delete(folder);
            return Optional.of(freed);
        } catch (IOException e) {
            throw failure(folder, "cannot be deleted", e);
        }
    }

    /**
     * Returns the folders of all models by their addresses.
     *
     * @throws VarveException of kind UNREADABLE_FILE if a folder cannot be read
     */
    public Map<String, Path> folders() {
        Map<String, Path> folders = new TreeMap<>();
        try {
            for (Path folder : Files.isDirectory(root) ? list(root) : List.<Path>of()) {
                Path address = folder.resolve(ADDRESS);
                if (Files.isRegularFile(address)) {
                    folders.put(Files.readString(address).strip(), folder);
                }
            }
        } catch (IOException e) {
            throw failure(root, "cannot be read", e);
        }
        return folders;
    }

    Path lock(URI uri) {
        return root.resolve(".locks").resolve(folder(uri).getFileName() + ".lock");
    }

    /** Creates the folder of a model. */
    void createFolder(URI uri) throws IOException {
        Files.createDirectories(folder(uri));
        Files.writeString(folder(uri).resolve(ADDRESS), address(uri) + "\n");
    }

    private Path folder(URI uri) {
        return root.resolve(Sha256.hex(address(uri), 8));
    }

    static String name(URI uri) {
        String path = uri.getPath() == null ? "" : uri.getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static VarveException failure(Path path, String what, IOException e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                path + ": " + what + ": " + FileErrors.reason(e),
                e);
    }
}
