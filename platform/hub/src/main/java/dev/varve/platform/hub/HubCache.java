package dev.varve.platform.hub;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of downloaded repositories that programs share. For each repository:
 *
 * <pre>
 * models--OWNER--NAME/blobs/DIGEST              content of a file
 * models--OWNER--NAME/refs/main                 commit of the branch, as text
 * models--OWNER--NAME/snapshots/COMMIT/PATH     symbolic link to a blob
 * .locks/models--OWNER--NAME/DIGEST.lock        locked by the process that downloads the blob
 * </pre>
 *
 * <p>Varve's unfinished downloads are {@code blobs/DIGEST.varve-part}, with a name of their own,
 * since programs do not share one kind of lock.
 *
 * @param root such as {@code ~/.cache/huggingface/hub}
 */
public record HubCache(Path root) {
    private static final String PART_SUFFIX = ".varve-part";
    private static final String BLOBS = "blobs";
    private static final String SNAPSHOTS = "snapshots";
    private static final String MAIN = "refs/main";
    private static final Pattern REPOSITORY = Pattern.compile("models--(.+?)--(.+)");

    /**
     * Finds a downloaded model without a request to the hub: in the snapshot of the branch {@code
     * main}, else in the newest one that has it.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the folder cannot be read
     */
    public Optional<PulledModel> find(HubReference reference) {
        for (Path snapshot : snapshots(reference)) {
            RepositoryFiles files = new RepositoryFiles(paths(snapshot));
            Optional<List<String>> parts = files.find(reference.quant());
            if (parts.isPresent()) {
                return Optional.of(pulled(reference, snapshot, files, parts.get()));
            }
        }
        return Optional.empty();
    }

    private static PulledModel pulled(
            HubReference reference, Path snapshot, RepositoryFiles files, List<String> parts) {
        String first = parts.getFirst();
        return new PulledModel(
                reference.withQuant(reference.quant().orElse(RepositoryFiles.quant(first))),
                parts.stream().map(snapshot::resolve).toList(),
                files.draft(first).map(snapshot::resolve),
                files.projector(first).map(snapshot::resolve));
    }

    /**
     * Lists all downloaded models, by repository.
     *
     * @throws VarveException of kind UNREADABLE_FILE if a folder cannot be read
     */
    public List<PulledModel> models() {
        Map<String, PulledModel> models = new LinkedHashMap<>();
        for (Path folder : list(root)) {
            Matcher name = REPOSITORY.matcher(folder.getFileName().toString());
            if (!name.matches()) {
                continue;
            }
            HubReference reference =
                    new HubReference(name.group(1), name.group(2), Optional.empty());
            for (Path snapshot : snapshots(reference)) {
                for (String quant : new RepositoryFiles(paths(snapshot)).quants()) {
                    find(reference.withQuant(quant))
                            .ifPresent(
                                    model ->
                                            models.putIfAbsent(
                                                    model.reference().toString(), model));
                }
            }
        }
        return List.copyOf(models.values());
    }

    /**
     * Deletes a model: the files of its quantisation, or all GGUF files and unfinished downloads of
     * the repository if the reference has none. Files of other kinds stay.
     *
     * @return freed bytes; empty if there is nothing to delete
     * @throws VarveException of kind UNREADABLE_FILE if a file cannot be deleted
     */
    public Optional<Long> remove(HubReference reference) {
        List<Path> links = new ArrayList<>();
        for (Path snapshot : snapshots(reference)) {
            List<String> paths = paths(snapshot);
            List<String> chosen =
                    reference.quant().isEmpty()
                            ? paths
                            : new RepositoryFiles(paths).find(reference.quant()).orElse(List.of());
            chosen.forEach(path -> links.add(snapshot.resolve(path)));
        }
        List<Path> parts = reference.quant().isEmpty() ? unfinished(reference) : List.of();
        if (links.isEmpty() && parts.isEmpty()) {
            return Optional.empty();
        }
        try {
            Set<Path> blobs = new HashSet<>(parts);
            for (Path link : links) {
                blobs.add(link.toRealPath());
                Files.delete(link);
            }
            blobs.removeAll(linkedBlobs(reference));
            long freed = 0;
            for (Path blob : blobs) {
                freed += Files.size(blob);
                Files.delete(blob);
            }
            deleteEmptyFolders(reference);
            return Optional.of(freed);
        } catch (IOException e) {
            throw failure(folder(reference), "a file cannot be deleted", e);
        }
    }

    private Set<Path> linkedBlobs(HubReference reference) throws IOException {
        Set<Path> blobs = new HashSet<>();
        try (Stream<Path> links = Files.walk(folder(reference).resolve(SNAPSHOTS))) {
            for (Path link : links.filter(Files::isRegularFile).toList()) {
                blobs.add(link.toRealPath());
            }
        }
        return blobs;
    }

    private void deleteEmptyFolders(HubReference reference) throws IOException {
        Path folder = folder(reference);
        deleteEmpty(folder.resolve(SNAPSHOTS));
        if (Files.exists(folder.resolve(SNAPSHOTS))) {
            return;
        }
        Files.deleteIfExists(folder.resolve(MAIN));
        deleteEmpty(folder);
    }

    /** Deletes a folder and those in it that hold no file. */
    private static void deleteEmpty(Path folder) throws IOException {
        List<Path> folders;
        try (Stream<Path> all = Files.walk(folder)) {
            folders =
                    all.filter(each -> Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)).toList();
        }
        for (Path each : folders.reversed()) {
            if (list(each).isEmpty()) {
                Files.delete(each);
            }
        }
    }

    private List<Path> unfinished(HubReference reference) {
        return list(folder(reference).resolve(BLOBS)).stream()
                .filter(file -> file.getFileName().toString().contains(PART_SUFFIX))
                .toList();
    }

    Path blob(HubReference reference, HubFile file) {
        return folder(reference).resolve(BLOBS).resolve(file.digest());
    }

    Path part(HubReference reference, HubFile file) {
        return blob(reference, file).resolveSibling(file.digest() + PART_SUFFIX);
    }

    Path lock(HubReference reference, HubFile file) {
        return root.resolve(".locks")
                .resolve(folder(reference).getFileName())
                .resolve(file.digest() + ".lock");
    }

    /** Whether the content of a file is complete. */
    boolean isComplete(HubReference reference, HubFile file) {
        return length(blob(reference, file)) == file.bytes();
    }

    /** Bytes of a file that are not on disk yet. */
    long missingBytes(HubReference reference, HubFile file) {
        return isComplete(reference, file)
                ? 0
                : file.bytes() - Math.clamp(length(part(reference, file)), 0, file.bytes());
    }

    /** Creates the folder of the contents of a repository. */
    void createFolders(HubReference reference) {
        try {
            Files.createDirectories(folder(reference).resolve(BLOBS));
        } catch (IOException e) {
            throw failure(folder(reference), "cannot be created", e);
        }
    }

    /** Gives a complete part its final name, with one rename. */
    void complete(HubReference reference, HubFile file) {
        Path part = part(reference, file);
        try {
            Files.move(part, blob(reference, file), StandardCopyOption.ATOMIC_MOVE);
            Files.deleteIfExists(part.resolveSibling(part.getFileName() + FileDownload.TAG_SUFFIX));
        } catch (IOException e) {
            throw failure(part, "cannot be renamed", e);
        }
    }

    /**
     * Links the complete files of a model into the snapshot of a commit, and makes the commit that
     * of the branch {@code main}.
     */
    void link(HubReference reference, String commit, List<HubFile> files) {
        Path folder = folder(reference);
        Path snapshot = folder.resolve(SNAPSHOTS).resolve(commit);
        try {
            for (HubFile file : files) {
                Path link = snapshot.resolve(file.path());
                Files.createDirectories(link.getParent());
                Path target = link.getParent().relativize(blob(reference, file));
                if (!Files.isSymbolicLink(link) || !Files.readSymbolicLink(link).equals(target)) {
                    Files.deleteIfExists(link);
                    createLink(link, target);
                }
            }
            Path main = folder.resolve(MAIN);
            Files.createDirectories(main.getParent());
            Path fresh = Files.createTempFile(main.getParent(), "main", ".new");
            Files.writeString(fresh, commit);
            Files.move(fresh, main, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw failure(snapshot, "the files cannot be linked", e);
        }
    }

    private static void createLink(Path link, Path target) throws IOException {
        try {
            Files.createSymbolicLink(link, target);
        } catch (FileAlreadyExistsException e) {
            // Another process has just linked the same blob.
        }
    }

    private Path folder(HubReference reference) {
        return root.resolve("models--" + reference.owner() + "--" + reference.name());
    }

    /** Snapshots of a repository: that of the branch {@code main} first, then from new to old. */
    private List<Path> snapshots(HubReference reference) {
        Path main = folder(reference).resolve(MAIN);
        String commit;
        try {
            commit = Files.exists(main) ? Files.readString(main).strip() : "";
        } catch (IOException e) {
            throw failure(main, "cannot be read", e);
        }
        return list(folder(reference).resolve(SNAPSHOTS)).stream()
                .sorted(
                        Comparator.comparing(
                                        (Path each) ->
                                                !each.getFileName().toString().equals(commit))
                                .thenComparing(HubCache::time, Comparator.reverseOrder()))
                .toList();
    }

    /** Paths of the GGUF files of a snapshot whose content exists, in order. */
    private static List<String> paths(Path snapshot) {
        try (Stream<Path> files = Files.walk(snapshot)) {
            return files.filter(file -> file.toString().endsWith(".gguf"))
                    .filter(Files::isRegularFile)
                    .map(file -> snapshot.relativize(file).toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw failure(snapshot, "cannot be read", e);
        }
    }

    private static List<Path> list(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw failure(folder, "cannot be read", e);
        }
    }

    private static FileTime time(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            // It was just deleted, and then has no files.
            return FileTime.fromMillis(0);
        }
    }

    private static long length(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : -1;
        } catch (IOException e) {
            return -1;
        }
    }

    private static VarveException failure(Path path, String what, IOException e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE, path + ": " + what + ": " + e.getMessage(), e);
    }
}
