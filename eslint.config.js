import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'
import { roomRules } from './eslint.rooms.js'

const sources = [
  'src/**/*.{ts,tsx}',
  'practice/**/*.ts',
  'e2e/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.ts',
  '*.config.ts',
  'vite.plugins.ts',
]
const tests = ['**/*.test.ts', 'src/testing/**', 'src/faults/**', 'src/safety/**', 'e2e/**']

export default tseslint.config(
  { ignores: ['dist/', 'data/', 'migrations/', 'node_modules/', 'studio/', 'demo/'] },
  {
    files: sources,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Handlers and hooks are async by contract, even those that await nothing.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/unbound-method': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'prefer-const': 'error',
      'no-console': 'off',
      'max-lines': ['error', { max: 300 }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/platform/config.ts', 'src/{main,reconcile,move,admin}.ts', ...tests],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'The environment is read once, in platform/config.' },
      ],
    },
  },
  {
    files: ['src/**/*.tsx'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'no-restricted-syntax': [
        'error',
        {
          selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]',
          message: 'Text is text: nothing of a customer’s may become markup.',
        },
        // A browser that translates the page replaces such texts, and React loses hold of them: they are no longer
        // updated, or break the page when they are removed.
        ...[
          'JSXElement:has(> JSXText[value=/\\S/]) > JSXExpressionContainer:not(:has(> Literal, > JSXEmptyExpression, JSXElement))',
          'JSXElement:has(> JSXElement) > JSXExpressionContainer > :matches(LogicalExpression, ConditionalExpression) > :matches(Literal, TemplateLiteral)',
        ].map((selector) => ({
          selector,
          message: 'What changes is all the text of its element: one string, in an element of its own.',
        })),
      ],
    },
  },
  {
    files: tests,
    rules: {
      'max-lines': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      // node:test collects the promises of its tests itself.
      '@typescript-eslint/no-floating-promises': 'off',
    },
  },
  ...roomRules,
)
