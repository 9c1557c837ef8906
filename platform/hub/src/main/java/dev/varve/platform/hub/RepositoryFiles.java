package dev.varve.platform.hub;

import dev.varve.api.VarveException;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Selects the files of a model among the paths of a repository, by their names: the parts of one
 * quantisation, a draft model and a projector.
 */
final class RepositoryFiles {
    /** Quantisations that are selected without a request, the first that exists. */
    private static final List<String> PREFERRED = List.of("Q4_K_M", "Q8_0");

    private static final Pattern SPLIT = Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf");
    private static final Pattern QUANT =
            Pattern.compile(
                    ".*?[-._]((?:UD-)?(?:I?Q\\d\\w*|TQ\\d\\w*|BF16|F16|F32|MXFP\\d\\w*|NVFP\\d\\w*))",
                    Pattern.CASE_INSENSITIVE);
    private static final Pattern DRAFT =
            Pattern.compile(
                    "(?:.*[-._])?(?:draft|drafter|dflash\\d?|dspark|eagle3|assistant)(?:[-._].*)?"
                            + "|mtp-.*",
                    Pattern.CASE_INSENSITIVE);

    private final List<String> paths;

    /**
     * @param paths paths of all files of a repository, in the order of the hub
     */
    RepositoryFiles(Collection<String> paths) {
        this.paths =
                paths.stream()
                        .filter(path -> path.toLowerCase(Locale.ROOT).endsWith(".gguf"))
                        .toList();
    }

    /**
     * Returns the parts of a model in order.
     *
     * @throws VarveException of kind INVALID_REQUEST if the repository has no such model; the
     *     message lists those that it has
     */
    List<String> model(HubReference reference) {
        return find(reference.quant())
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.INVALID_REQUEST, missing(reference)));
    }

    /**
     * Returns the parts of a model in order; empty if there is none or a part is missing.
     *
     * @param quant quantisation, which may lack {@code UD-} at its beginning; empty for the default
     */
    Optional<List<String>> find(Optional<String> quant) {
        return quant.isPresent()
                ? first(models(), quant.get()).flatMap(this::parts)
                : findExact(quant);
    }

    /** Does the same as {@link #find} for a quantisation with its whole name. */
    Optional<List<String>> findExact(Optional<String> quant) {
        List<String> models = models();
        if (quant.isPresent()) {
            return exact(models, quant.get()).flatMap(this::parts);
        }
        return PREFERRED.stream()
                .flatMap(each -> first(models, each).stream())
                .findFirst()
                .or(() -> models.stream().findFirst())
                .flatMap(this::parts);
    }

    /**
     * Quantisations of the repository; for a file whose name has none, or that of another file, its
     * name.
     */
    Set<String> quants() {
        Set<String> quants = new LinkedHashSet<>();
        for (String path : models()) {
            if (!quants.add(quant(path))) {
                quants.add(stem(path));
            }
        }
        return quants;
    }

    /** The draft model for a model: that of the same quantisation, else of Q8_0, else the first. */
    Optional<String> draft(String model) {
        return beside(model, paths.stream().filter(RepositoryFiles::isDraft).toList());
    }

    /** The projector for a model, selected like a draft model. */
    Optional<String> projector(String model) {
        return beside(model, paths.stream().filter(RepositoryFiles::isProjector).toList());
    }

    /** Quantisation in a file name, or else the name without its extension and part number. */
    static String quant(String path) {
        String stem = stem(path);
        Matcher quant = QUANT.matcher(stem);
        return quant.matches() ? quant.group(1).toUpperCase(Locale.ROOT) : stem;
    }

    private String missing(HubReference reference) {
        if (quants().isEmpty()) {
            return reference.repository()
                    + " has no GGUF files; look for a repository whose name ends in -GGUF";
        }
        String has = "; it has " + String.join(", ", quants());
        return reference.quant().flatMap(quant -> first(models(), quant)).isPresent()
                        || reference.quant().isEmpty()
                ? reference + ": the repository lacks a part of this model" + has
                : reference.repository() + " has no " + reference.quant().orElseThrow() + has;
    }

    /** Model files; of a split model the first part. */
    private List<String> models() {
        List<String> models = new ArrayList<>();
        for (String path : paths) {
            Matcher split = SPLIT.matcher(path);
            boolean later = split.matches() && !split.group(2).equals("00001");
            if (!later && !isDraft(path) && !isProjector(path) && !name(path).contains("imatrix")) {
                models.add(path);
            }
        }
        return models;
    }

    private static Optional<String> first(List<String> models, String quant) {
        return exact(models, quant).or(() -> exact(models, "UD-" + quant));
    }

    private static Optional<String> exact(List<String> models, String quant) {
        return models.stream()
                .filter(
                        path ->
                                quant(path).equalsIgnoreCase(quant)
                                        || stem(path).equalsIgnoreCase(quant))
                .findFirst();
    }

    private Optional<List<String>> parts(String first) {
        List<String> parts = partNames(first);
        return paths.containsAll(parts) ? Optional.of(parts) : Optional.empty();
    }

    /** Names of all parts of a split model, from that of any part; else the one name. */
    static List<String> partNames(String path) {
        Matcher split = SPLIT.matcher(path);
        int count = split.matches() ? Integer.parseInt(split.group(3)) : 0;
        if (count == 0) {
            return List.of(path);
        }
        List<String> parts = new ArrayList<>();
        for (int part = 1; part <= count; part++) {
            parts.add(
                    String.format(
                            Locale.ROOT,
                            "%s-%05d-of-%s.gguf",
                            split.group(1),
                            part,
                            split.group(3)));
        }
        return parts;
    }

    private static Optional<String> beside(String model, List<String> candidates) {
        return first(candidates, quant(model))
                .or(() -> first(candidates, "Q8_0"))
                .or(() -> candidates.stream().findFirst());
    }

    private static boolean isDraft(String path) {
        return DRAFT.matcher(stem(path)).matches();
    }

    private static boolean isProjector(String path) {
        return name(path).contains("mmproj");
    }

    private static String stem(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        Matcher split = SPLIT.matcher(name);
        return split.matches() ? split.group(1) : name.replaceFirst("(?i)\\.gguf$", "");
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    }
}
