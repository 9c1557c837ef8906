/**
 * LoRA adapters: low-rank changes of a model's weights, in files of their own. {@link
 * dev.varve.platform.shard.lora.LoraAdapter} reads and checks a file, {@link
 * dev.varve.platform.shard.lora.AdaptedModel} adds its tensors to those that shards load, and
 * {@link dev.varve.platform.shard.lora.LoraTerms} names what a graph adds to a product.
 */
package dev.varve.platform.shard.lora;
