package dev.varve.platform.setting;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A setting of the operator, as messages of lower layers name it.
 *
 * <p>In a text a setting appears as its identifier in braces, {@code {setting:parallel}: expected 1
 * to 256, found 0}: that is the result of {@link #toString}. A text may be wrapped into another
 * one, logged, or sent by a shard process; {@link SettingNames#render} inserts the names where the
 * text is displayed.
 */
public enum Setting {
    /** Model file. */
    MODEL("model"),
    /** Folder of model files. */
    MODELS("models"),
    /** Whether a shard process belongs to the server that started it. */
    SUPERVISED("supervised"),
    /** Device of a model that runs on one. */
    DEVICE("device"),
    /** Several devices of a model, in layer order. */
    DEVICES("devices"),
    /** Share of each device in the layers. */
    LAYER_SPLIT("layerSplit"),
    /** Whether a model that does not fit its devices is placed otherwise. */
    FIT("fit"),
    /** Devices of weights by their names. */
    OVERRIDE_TENSOR("overrideTensor"),
    /** Whether the processor holds the experts. */
    CPU_MOE("cpuMoe"),
    /** Number of layers whose experts the processor holds. */
    N_CPU_MOE("nCpuMoe"),
    /** Devices of the experts of some layers. */
    EXPERT_DEVICE("expertDevice"),
    /** Layout of the weights in memory. */
    WEIGHTS("weights"),
    /** Memory for experts that are read from the file. */
    EXPERT_CACHE("expertCache"),
    /** Whether devices are measured again for an automatic split. */
    MEASURE_AGAIN("measureAgain"),
    /** Whether devices of one backend copy from each other directly. */
    PEER_ACCESS("peerAccess"),
    /** Program that starts a shard process. */
    SHARD_LAUNCHER("shardLauncher"),
    /** Folder for the sockets of shard processes. */
    SHARD_WORK_FOLDER("shardWorkFolder"),
    /** Time that requests wait for a lost shard that makes no progress. */
    SHARD_PATIENCE("shardPatience"),
    /** Whether models that generate text compute embeddings too. */
    EMBEDDING("embedding"),
    /** Whether models compute scores of documents. */
    RERANKING("reranking"),
    /** How the rows of tokens become a vector. */
    POOLING("pooling"),
    /** Maximum tokens of one sequence. */
    CONTEXT_TOKENS("contextTokens"),
    /** Maximum sequences decoded together. */
    PARALLEL("parallel"),
    /** Engines of one model that share its requests. */
    REPLICAS("replicas"),
    /** Tokens of the KV pool. */
    KV_TOKENS("kvTokens"),
    /** Slots of each sequence's pool, if the attention cache is bounded. */
    KVFLASH("kvflash"),
    /** Policy that chooses the pages of such a pool. */
    KVFLASH_POLICY("kvflashPolicy"),
    /** Minimum tokens between two choices of such pages. */
    KVFLASH_TAU("kvflashTau"),
    /** The small model that scores prompts and pages. */
    PREFILL_DRAFTER("prefillDrafter"),
    /** Host memory for the prefix cache. */
    CACHE_RAM("cacheRam"),
    /** Folder of cached prefixes. */
    STORE_FOLDER("storeFolder"),
    /** Plugin store that keeps the data of that folder. */
    STORE_NAME("storeName"),
    /** Whether cached prefixes are written to their folder. */
    STORE_MODE("storeMode"),
    /** Address of a store of cached prefixes that several servers share. */
    SHARED_STORE("sharedStore"),
    /** Servers that compute prompts for each other. */
    HAND_OFF("handOff"),
    /** Key for cached prefixes on disk. */
    STORE_KEY("storeKey"),
    /** Maximum number of queued requests. */
    QUEUE_LIMIT("queueLimit"),
    /** Element type of cached keys. */
    KEY_CACHE_TYPE("keyCacheType"),
    /** Element type of cached values. */
    VALUE_CACHE_TYPE("valueCacheType"),
    /** Element types of cached keys and values, together. */
    CACHE_TYPES("cacheTypes"),
    /** Speculator. */
    DRAFT("draft"),
    /** Device of a draft model. */
    DRAFT_DEVICE("draftDevice"),
    /** Maximum draft tokens in a step. */
    DRAFT_MAX("draftMax"),
    /** Number of draft tokens in every step. */
    DRAFT_WIDTH("draftWidth"),
    /** Whether a draft model stays in memory. */
    DRAFT_RESIDENCY("draftResidency"),
    /** Whether drafts are token trees. */
    DDTREE("ddtree"),
    /** LoRA adapters, which change the weights of the model. */
    LORA("lora"),
    /** Folders of LoRA adapters that may be added while the model runs. */
    LORA_DIR("loraDir"),
    /** Projector file, which encodes images. */
    MMPROJ("mmproj"),
    /** Device that encodes images. */
    MMPROJ_DEVICE("mmprojDevice"),
    /** Most tokens of an image. */
    IMAGE_TOKENS("imageTokens"),
    /** Hosts from which images may be fetched. */
    ALLOW_IMAGE_URLS("allowImageUrls"),
    /** Batch invariance: what the results of a token may depend on. */
    EXACT_ROWS("exactRows"),
    /** Whether attention is one operator. */
    FLASH_ATTENTION("flashAttention"),
    /** Chat template that replaces the model's own. */
    CHAT_TEMPLATE("chatTemplate"),
    /** Address that the server listens on. */
    HOST("host"),
    /** Port that the server listens on. */
    PORT("port"),
    /** Path prefix behind a proxy. */
    BASE_PATH("basePath"),
    /** API key that every request must carry. */
    API_KEY("apiKey"),
    /** File with API keys. */
    API_KEY_FILE("apiKeyFile"),
    /** Key for requests that only the operator may make. */
    OPERATOR_KEY("operatorKey"),
    /** Whether a server without a key may listen on addresses that other machines reach. */
    INSECURE("insecure"),
    /** Origins whose pages may call the server. */
    CORS_ORIGIN("corsOrigin"),
    /** Names by which clients may address the server. */
    ALLOWED_HOST("allowedHost"),
    /** Size of the largest request body. */
    MAX_BODY("maxBody"),
    /** Maximum number of connections of one address. */
    MAX_CONNECTIONS("maxConnections");

    private static final Pattern MARK = Pattern.compile("\\{setting:([a-zA-Z]+)}");

    private static final Map<String, Setting> BY_ID =
            Arrays.stream(values()).collect(Collectors.toMap(Setting::id, Function.identity()));

    private final String id;

    Setting(String id) {
        this.id = id;
    }

    /** The identifier, such as {@code parallel}. */
    public String id() {
        return id;
    }

    /** The identifier in braces, as it appears in a text. */
    @Override
    public String toString() {
        return "{setting:" + id + "}";
    }

    /** Replaces the settings in a text by their names; braces around other words stay. */
    static String render(String text, SettingNames names) {
        return MARK.matcher(text)
                .replaceAll(
                        mark -> {
                            Setting setting = BY_ID.get(mark.group(1));
                            return Matcher.quoteReplacement(
                                    setting == null ? mark.group() : names.of(setting));
                        });
    }
}
