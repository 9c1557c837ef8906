package dev.varve.platform.cli;

import dev.varve.platform.setting.Setting;
import dev.varve.platform.setting.SettingNames;

/** Names of settings as flags of the command line. */
final class FlagNames implements SettingNames {
    static final SettingNames FLAGS = new FlagNames();

    private FlagNames() {}

    @Override
    public String of(Setting setting) {
        return switch (setting) {
            case MODEL -> "--model";
            case MODELS -> "--models";
            case SUPERVISED -> "--supervised";
            case DEVICE -> "--target-device";
            case DEVICES -> "--target-devices";
            case LAYER_SPLIT -> "--target-layer-split";
            case FIT -> "--fit";
            case OVERRIDE_TENSOR -> "--override-tensor";
            case CPU_MOE -> "--cpu-moe";
            case N_CPU_MOE -> "--n-cpu-moe";
            case EXPERT_DEVICE -> "--expert-device";
            case WEIGHTS -> "--weights";
            case EXPERT_CACHE -> "--expert-cache";
            case MEASURE_AGAIN -> "--measure-again";
            case PEER_ACCESS -> "--peer-access";
            case SHARD_LAUNCHER -> "--target-shard-ipc-bin";
            case SHARD_WORK_FOLDER -> "--target-shard-ipc-work-dir";
            case SHARD_PATIENCE -> "--shard-patience";
            case EMBEDDING -> "--embedding";
            case RERANKING -> "--reranking";
            case POOLING -> "--pooling";
            case CONTEXT_TOKENS -> "--max-ctx";
            case PARALLEL -> "--parallel";
            case REPLICAS -> "--replicas";
            case KV_TOKENS -> "--kv-tokens";
            case KVFLASH -> "--kvflash";
            case KVFLASH_POLICY -> "--kvflash-policy";
            case KVFLASH_TAU -> "--kvflash-tau";
            case PREFILL_DRAFTER -> "--prefill-drafter";
            case CACHE_RAM -> "--cache-ram";
            case STORE_FOLDER -> "--kv-cache-dir";
            case STORE_NAME -> "--kv-cache-store";
            case STORE_MODE -> "--kv-cache-mode";
            case SHARED_STORE -> "--shared-cache";
            case HAND_OFF -> "--role";
            case STORE_KEY -> "--cache-key-file";
            case QUEUE_LIMIT -> "--max-queue";
            case KEY_CACHE_TYPE -> "--cache-type-k";
            case VALUE_CACHE_TYPE -> "--cache-type-v";
            case CACHE_TYPES -> "--cache-type-k/-v";
            case DRAFT -> "--draft";
            case DRAFT_DEVICE -> "--draft-device";
            case DRAFT_MAX -> "--draft-max";
            case DRAFT_WIDTH -> "--draft-width";
            case DDTREE -> "--ddtree";
            case DRAFT_RESIDENCY -> "--draft-residency";
            case LORA -> "--lora";
            case LORA_DIR -> "--lora-dir";
            case MMPROJ -> "--mmproj";
            case MMPROJ_DEVICE -> "--mmproj-device";
            case IMAGE_TOKENS -> "--image-max-tokens";
            case ALLOW_IMAGE_URLS -> "--allow-image-urls";
            case EXACT_ROWS -> "--exact-rows";
            case FLASH_ATTENTION -> "--flash-attn";
            case CHAT_TEMPLATE -> "--chat-template-file";
            case HOST -> "--host";
            case PORT -> "--port";
            case BASE_PATH -> "--base-path";
            case API_KEY -> "--api-key";
            case API_KEY_FILE -> "--api-key-file";
            case OPERATOR_KEY -> "--operator-key";
            case INSECURE -> "--insecure";
            case CORS_ORIGIN -> "--cors-origin";
            case ALLOWED_HOST -> "--allowed-host";
            case MAX_BODY -> "--max-body";
            case MAX_CONNECTIONS -> "--max-connections-per-client";
        };
    }
}
