package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.EmbeddingSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.PlacedShardFactory;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.http.HttpServer;
import dev.varve.platform.http.serving.LoadableModel;
import dev.varve.platform.http.serving.ModelCatalogue;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The models of a server that has several, or that loads its model on demand: named models are
 * loaded at the start, those of folders when a request names them. All share one memory budget.
 */
final class MultiModelServing {
    /** Most names that are listed; beyond it the number is shown. */
    private static final int MOST_NAMES = 8;

    private final List<NamedModel> choices;
    private final Sizes sizes;
    private final Flags flags;
    private final PluginSettings plugins;
    private final MemoryClaims claims = new MemoryClaims();
    private final List<FileModelSource> named;
    private final ModelCatalogue catalogue;

    /** Arguments of the served models. */
    record Flags(
            ModelLoadArguments model,
            ServeArguments server,
            MultiModelArguments models,
            Environment environment) {}

    /**
     * Settings that all models share.
     *
     * @param store folder of cached prefixes, with a subfolder for each model
     * @param embeddings whether and how models compute vectors or scores
     * @param sharing the same for all models, since shared entries are separate for each model
     */
    record Sizes(
            ModelSettings settings,
            Optional<StoreSettings> store,
            ClusterCacheSettings sharing,
            Optional<CompressionSettings> compression,
            EmbeddingSettings embeddings,
            ServedModelFactory maker) {}

    /**
     * @param choices named models, the default one first
     * @throws UsageException if flags contradict each other
     * @throws VarveException if a named file cannot be read
     */
    MultiModelServing(List<NamedModel> choices, Sizes sizes, Flags flags) {
        this.choices = List.copyOf(choices);
        this.sizes = sizes;
        this.flags = flags;
        requireNames();
        plugins = flags.model().plugins(flags.environment()).loaded();
        named = this.choices.stream().map(this::source).toList();
        catalogue =
                new FolderModelCatalogue(
                        named,
                        flags.models().folders(),
                        Architectures.of(plugins.catalog()),
                        this::source);
    }

    private boolean areSeveral() {
        return choices.size() > 1 || !flags.models().folders().isEmpty();
    }

    private void requireNames() {
        // Checked again when plugins are loaded; a wrong name is found without them.
        flags.models().folders().forEach(ModelSearchPath::models);
        Set<String> ids = new HashSet<>();
        for (NamedModel choice : choices) {
            if (!ids.add(choice.id())) {
                throw new UsageException(
                        "--model: two models have the name "
                                + choice.id()
                                + "; set another name for one of them with --model NAME="
                                + choice.choice().file());
            }
        }
        if (areSeveral() && flags.server().namesModel()) {
            throw new UsageException(
                    "--model-name: expected one model, found several; --model NAME=FILE names one"
                            + " of them");
        }
        if (choices.isEmpty()) {
            requireNoneForOne();
        }
    }

    /** Rejects flags that apply to the first named model if there is none. */
    private void requireNoneForOne() {
        String rest = ": applies to the model of --model, but only --models is set";
        if (flags.server().chatTemplateFile().isPresent()) {
            throw new UsageException("--chat-template-file" + rest);
        }
        if (flags.model().drafts()) {
            throw new UsageException("--draft" + rest);
        }
        if (flags.model().adapts()) {
            throw new UsageException("--lora" + rest);
        }
    }

    private FileModelSource source(NamedModel choice) {
        boolean first = choice.equals(choices.getFirst());
        String id = choices.size() == 1 ? flags.server().modelName(choice) : choice.id();
        return source(
                ModelHeader.read(choice.choice().file()),
                id,
                choice.choice(),
                first,
                first ? flags.server().chatTemplateFile() : Optional.empty());
    }

    private LoadableModel source(ModelHeader header) {
        return source(
                header,
                ModelSearchPath.id(header.file()),
                new ModelChoice(new ModelReference.OfFile(header.file()), header.file(), true),
                false,
                Optional.empty());
    }

    private FileModelSource source(
            ModelHeader header,
            String id,
            ModelChoice choice,
            boolean first,
            Optional<Path> template) {
        SequenceLimits asked = sizes.settings().sequences();
        // Of several models some may have been trained for less than others.
        SequenceLimits limits =
                areSeveral()
                        ? new SequenceLimits(
                                header.contextTokens(asked.contextTokens()),
                                asked.parallel(),
                                asked.kvTokens())
                        : asked;
        HostSettings host =
                flags.model()
                        .host(
                                choice,
                                first,
                                sizes.settings().with(limits),
                                flags.environment(),
                                sizes.compression());
        HostSettings together =
                host.with(plugins)
                        .with(host.devices().with(claims))
                        .with(sizes.sharing())
                        .withAdapterFolders(flags.server().adapterFolders());
        return new FileModelSource(
                header.outline(id, asked.contextTokens(), template.isPresent()),
                header.stamp(),
                sizes.store().map(store -> together.with(of(store, id))).orElse(together),
                new FileModelSource.Opening(
                        flags.model(),
                        template,
                        header.isEncoder(plugins::catalog)
                                ? FileModelSource.Purpose.ENCODING
                                : sizes.embeddings().requested()
                                        ? FileModelSource.Purpose.BOTH
                                        : FileModelSource.Purpose.GENERATION,
                        sizes.embeddings(),
                        sizes.maker()));
    }

    /**
     * Number of models at present, by which the budget is divided; files may be added and removed
     * later.
     */
    private int offered() {
        return choices.size()
                + flags.models().folders().stream()
                        .mapToInt(folder -> ModelSearchPath.models(folder).size())
                        .sum();
    }

    /** Store settings with a folder per model: two models cannot write to one folder. */
    private StoreSettings of(StoreSettings store, String id) {
        return areSeveral()
                ? store.ofOne(
                        store.folder().resolve(URLEncoder.encode(id, StandardCharsets.UTF_8)),
                        offered())
                : store;
    }

    /**
     * Plans all models that are loaded at the start, before the first one is loaded.
     *
     * @throws UsageException if sampling values are set for a model that does not exist
     * @throws VarveException that names the model if it cannot be loaded, or does not fit beside
     *     those before it
     */
    void check() {
        sizes.maker().sampling().requireKnown(ids());
        Deque<PlacedShardFactory> promised = new ArrayDeque<>();
        try {
            for (FileModelSource source : named) {
                try {
                    source.check().ifPresent(promised::push);
                } catch (VarveException e) {
                    throw naming(source, e);
                }
            }
        } finally {
            promised.forEach(PlacedShardFactory::close);
        }
    }

    private VarveException naming(LoadableModel source, VarveException reason) {
        return areSeveral()
                ? new VarveException(
                        reason.kind(),
                        "model " + source.outline().id() + ": " + reason.getMessage(),
                        reason)
                : reason;
    }

    private List<String> ids() {
        return catalogue.models().stream().map(source -> source.outline().id()).toList();
    }

    /** Opens the model manager with no model loaded; the caller closes it. */
    ModelManager open() {
        ModelNameResolver names = flags.models().names(ids());
        for (NamedModel choice : choices) {
            names = names.with(choice.meanings(choice.id()));
        }
        return areSeveral()
                ? ModelManager.several(catalogue, names, flags.models().keeping())
                : ModelManager.of(named.getFirst(), names, flags.models().keeping());
    }

    /** Names of the models that are loaded at the start. */
    String loading() {
        return String.join(", ", named.stream().map(each -> each.outline().id()).toList());
    }

    /** Names of all models, or how many there are. */
    static String names(ModelManager models) {
        List<String> ids = models.views().stream().map(view -> view.id()).toList();
        if (ids.isEmpty()) {
            return "no models yet";
        }
        return ids.size() > MOST_NAMES ? ids.size() + " models" : String.join(", ", ids);
    }

    /**
     * Loads the models that were named, one after the other, and accepts requests for all once the
     * first one is loaded.
     *
     * @throws VarveException that names the model if it cannot be loaded
     */
    void load(ModelManager models, HttpServer http) throws InterruptedException {
        if (named.isEmpty()) {
            http.ready(models);
        }
        for (FileModelSource source : named) {
            try {
                models.load(source.outline().id());
            } catch (VarveException e) {
                throw naming(source, e);
            }
            if (source == named.getFirst()) {
                http.ready(models);
            }
        }
    }
}
