package dev.varve.platform.hub;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.file.AtomicFile;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
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
 * since programs do not share one kind of lock. On a disk without symbolic links the file itself is
 * at {@code snapshots/COMMIT/PATH}.
 *
 * @param root such as {@code ~/.cache/huggingface/hub}
 */
public record HubCache(Path root) {
    /** In the names of all files of Varve that are no content. */
    private static final String OWN = ".varve-";

    private static final String PART_SUFFIX = OWN + "part";
    private static final String BLOBS = "blobs";
    private static final String SNAPSHOTS = "snapshots";
    private static final String MAIN = "refs/main";
    private static final Pattern REPOSITORY = Pattern.compile("models--(.+?)--(.+)");

    /**
     * Finds a downloaded model without a request to the hub: in the snapshot of the branch {@code
     * main}, else in the newest one that has it. A quantisation of that name precedes one whose
     * name also begins with {@code UD-}.
     *
     * @throws VarveException of kind UNREADABLE_FILE if the folder cannot be read
     */
    public Optional<PulledModel> find(HubReference reference) {
        return find(reference, RepositoryFiles::findExact)
                .or(() -> find(reference, RepositoryFiles::find));
    }

    private Optional<PulledModel> find(
            HubReference reference,
            BiFunction<RepositoryFiles, Optional<String>, Optional<List<String>>> selection) {
        for (Path snapshot : snapshots(reference)) {
            RepositoryFiles files = new RepositoryFiles(paths(snapshot));
            Optional<List<String>> parts = selection.apply(files, reference.quant());
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
     * @param problems receives a message for each folder that cannot be read
     */
    public List<PulledModel> models(Consumer<String> problems) {
        Map<String, PulledModel> models = new LinkedHashMap<>();
        try {
            for (Path folder : list(root)) {
                Matcher name = REPOSITORY.matcher(folder.getFileName().toString());
                if (name.matches()) {
                    list(new HubReference(name.group(1), name.group(2), Optional.empty()), problems)
                            .forEach(each -> models.putIfAbsent(each.reference() + "", each));
                }
            }
        } catch (VarveException e) {
            problems.accept(e.getMessage());
        }
        return List.copyOf(models.values());
    }

    private List<PulledModel> list(HubReference repository, Consumer<String> problems) {
        try {
            return snapshots(repository).stream()
                    .flatMap(each -> new RepositoryFiles(paths(each)).quants().stream())
                    .flatMap(quant -> find(repository.withQuant(quant)).stream())
                    .toList();
        } catch (VarveException e) {
            problems.accept(e.getMessage());
            return List.of();
        }
    }

    /**
     * Deletes a model: the files of its quantisation, or all GGUF files and unfinished downloads of
     * the repository if the reference has none. Files of other kinds stay, and so do files outside
     * of the repository's folder that links point to.
     *
     * @return freed bytes; empty if there is nothing to delete
     * @throws VarveException of kind UNAVAILABLE if another process downloads a file of the
     *     repository; of kind UNREADABLE_FILE if a file cannot be deleted
     */
    public Optional<Long> remove(HubReference reference) {
        List<Path> own =
                list(folder(reference).resolve(BLOBS)).stream().filter(this::isOwn).toList();
        List<Path> locks =
                own.stream()
                        .map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(PART_SUFFIX))
                        .map(name -> name.substring(0, name.length() - PART_SUFFIX.length()))
                        .map(digest -> lock(reference, digest))
                        .toList();
        try (FileLocks _ = FileLocks.tryLock(locks, reference.toString())) {
            List<Path> unfinished = reference.quant().isEmpty() ? own : List.of();
            List<Path> files = files(reference);
            return files.isEmpty() && unfinished.isEmpty()
                    ? Optional.empty()
                    : Optional.of(delete(reference, files, unfinished));
        } catch (IOException e) {
            throw failure(folder(reference), "a file cannot be deleted", e);
        }
    }

    private boolean isOwn(Path file) {
        return file.getFileName().toString().contains(OWN);
    }

    /** Files of a model in all snapshots; without a quantisation those of all models. */
    private List<Path> files(HubReference reference) {
        List<Path> files = new ArrayList<>();
        for (Path snapshot : snapshots(reference)) {
            List<String> paths = paths(snapshot);
            List<String> chosen =
                    reference.quant().isEmpty()
                            ? paths
                            : new RepositoryFiles(paths)
                                    .findExact(reference.quant())
                                    .orElse(List.of());
            chosen.forEach(path -> files.add(snapshot.resolve(path)));
        }
        return files;
    }

    private long delete(HubReference reference, List<Path> files, List<Path> unfinished)
            throws IOException {
        Path folder = folder(reference);
        Set<Path> blobs = new HashSet<>();
        long freed = 0;
        for (Path file : files) {
            Path target = file.toRealPath();
            if (!Files.isSymbolicLink(file)) {
                freed += Files.size(file);
            } else if (target.startsWith(folder.toRealPath().resolve(BLOBS))) {
                blobs.add(target);
            }
            Files.delete(file);
        }
        blobs.removeAll(linkedBlobs(reference));
        blobs.addAll(unfinished);
        for (Path blob : blobs) {
            freed += Math.max(0, length(blob));
            Files.delete(blob);
        }
        deleteEmpty(folder.resolve(SNAPSHOTS));
        if (Files.notExists(folder.resolve(SNAPSHOTS))) {
            Files.deleteIfExists(folder.resolve(MAIN));
            deleteEmpty(folder);
        }
        return freed;
    }

    private Set<Path> linkedBlobs(HubReference reference) throws IOException {
        Set<Path> blobs = new HashSet<>();
        for (Path link : walk(folder(reference).resolve(SNAPSHOTS))) {
            if (Files.isRegularFile(link)) {
                blobs.add(link.toRealPath());
            }
        }
        return blobs;
    }

    /** Deletes a folder and those in it that hold no file. */
    private static void deleteEmpty(Path folder) throws IOException {
        for (Path each : walk(folder).reversed()) {
            if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS) && list(each).isEmpty()) {
                Files.delete(each);
            }
        }
    }

    Path blob(HubReference reference, HubFile file) {
        return folder(reference).resolve(BLOBS).resolve(file.digest());
    }

    Path part(HubReference reference, HubFile file) {
        return blob(reference, file).resolveSibling(file.digest() + PART_SUFFIX);
    }

    /**
     * @param digest of the file, in hexadecimal digits
     */
    Path lock(HubReference reference, String digest) {
        return root.resolve(".locks")
                .resolve(folder(reference).getFileName())
                .resolve(digest + ".lock");
    }

    /** Whether the content of a file is complete, as a blob or in the snapshot itself. */
    boolean isComplete(HubReference reference, String commit, HubFile file) {
        return length(blob(reference, file)) == file.bytes()
                || length(snapshot(reference, commit).resolve(file.path())) == file.bytes();
    }

    /** Bytes of a file that are not on disk yet. */
    long missingBytes(HubReference reference, String commit, HubFile file) {
        return isComplete(reference, commit, file)
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
        Path snapshot = snapshot(reference, commit);
        try {
            for (HubFile file : files) {
                Path link = snapshot.resolve(file.path());
                if (length(link) != file.bytes()) {
                    link(link, blob(reference, file));
                }
            }
            Path main = folder.resolve(MAIN);
            Files.createDirectories(main.getParent());
            AtomicFile.replace(
                    main, AtomicFile.Readers.ALL, fresh -> Files.writeString(fresh, commit));
        } catch (IOException e) {
            throw failure(snapshot, "the files cannot be linked", e);
        }
    }

    private static void link(Path link, Path blob) throws IOException {
        Files.createDirectories(link.getParent());
        Path fresh = fresh(blob.getParent());
        try {
            Files.createSymbolicLink(fresh, link.getParent().relativize(blob));
        } catch (UnsupportedOperationException | IOException e) {
            // A disk without symbolic links; a full one refuses the move, too.
            fresh = blob;
        }
        Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Name of a file that does not exist, for content that is renamed later. */
    private static Path fresh(Path blobs) {
        return blobs.resolve(UUID.randomUUID() + OWN + "new");
    }

    private Path snapshot(HubReference reference, String commit) {
        return folder(reference).resolve(SNAPSHOTS).resolve(commit);
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
        try {
            return walk(snapshot).stream()
                    .filter(file -> file.toString().endsWith(".gguf"))
                    .filter(Files::isRegularFile)
                    .map(file -> snapshot.relativize(file).toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw failure(snapshot, "cannot be read", e);
        }
    }

    /** A folder and all in it; nothing if it does not exist. */
    private static List<Path> walk(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static List<Path> list(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException | UncheckedIOException e) {
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

    private static VarveException failure(Path path, String what, Exception e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                path + ": " + what + ": " + FileErrors.reason(e),
                e);
    }
}
