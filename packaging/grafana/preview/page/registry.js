// The registries that Grafana's server fills: field properties and transformations.

import {
  FieldConfigOptionsRegistry, dataLinksOverrideProcessor, displayNameOverrideProcessor, identityOverrideProcessor, numberOverrideProcessor,
  standardTransformers, standardTransformersRegistry, stringOverrideProcessor, thresholdsOverrideProcessor,
} from '@grafana/data';

// The standard properties of fields, with their processors.
const standard = {
  unit: identityOverrideProcessor, min: numberOverrideProcessor, max: numberOverrideProcessor, decimals: numberOverrideProcessor,
  displayName: displayNameOverrideProcessor, noValue: stringOverrideProcessor, color: identityOverrideProcessor,
  thresholds: thresholdsOverrideProcessor, mappings: identityOverrideProcessor, links: dataLinksOverrideProcessor, fieldMinMax: identityOverrideProcessor,
};

const item = (id, path, isCustom, process) => ({id, path, name: id, isCustom, process, override: identityOverrideProcessor, shouldApply: () => true});

// fieldRegistry returns the standard properties, and the custom ones that a panel uses.
export function fieldRegistry({defaults, overrides}) {
  const registry = new FieldConfigOptionsRegistry();
  for (const [id, process] of Object.entries(standard)) registry.register(item(id, id, false, process));
  const overridden = overrides.flatMap(rule => rule.properties.map(property => property.id)).filter(id => id.startsWith('custom.'));
  const custom = new Set([...Object.keys(defaults.custom ?? {}).map(name => `custom.${name}`), ...overridden]);
  for (const id of custom) registry.register(item(id, id.slice('custom.'.length), true, identityOverrideProcessor));
  for (const id of overrides.flatMap(rule => rule.properties.map(property => property.id))) {
    if (!registry.getIfExists(id)) throw new Error(`unknown field property ${id}`);
  }
  return registry;
}

// Some transformations are listed under two names, which the registry rejects.
const transformers = [...new Set(Object.values(standardTransformers))];
standardTransformersRegistry.setInit(() => transformers.map(one => ({id: one.id, name: one.name, transformation: () => Promise.resolve(one)})));
